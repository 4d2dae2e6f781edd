"""256 short words for fingerprints: one for each value of a byte, none the beginning of another, easily told apart."""

from __future__ import annotations

from typing import Final

_TEXT: Final = """
acorn adobe agate album alder algae alley amber angel ankle anvil apple apron arbor arena arrow aspen atlas attic
autumn bacon badge bagel bamboo banjo barley basil beach beaver bench berry birch bison blanket blaze bloom bonsai
bottle branch brass bread brick bridge bronze brush bucket bugle butter cabin cactus camel candle canoe canyon carbon
carrot castle cedar celery cello chalk cherry chess cider citrus clay cliff cloud clover cobalt cocoa comet copper
coral cotton cove crane crater cricket crow crystal curry daisy denim desert diver dolphin donkey dragon drum dune
eagle easel echo eel elbow elm ember emu engine fable falcon feather fern ferry fiddle fig finch fjord flame flint
flute foam forest fossil fox frost galaxy garlic geyser ginger glacier globe goat gorge grape gravel grove guitar gull
hammer harbor harp hazel heron hill hinge honey horn hotel husky igloo indigo iris iron island ivory ivy jacket jade
jaguar jasmine jelly jersey jungle kale kayak kettle kiosk kite kiwi koala ladder lagoon lake lantern laurel lava
lemon lichen lilac linen lion lizard llama lobster locket lotus lumber lunar lynx magnet mango maple marble meadow
melon mint mirror moose moss motor mule museum nectar needle nest nickel noodle nutmeg oak oasis oboe ocean olive
onion opal orbit orchid otter owl oyster paddle panda paper pearl pebble pepper piano pigeon pine planet plum poppy
prairie prism puffin pumpkin puzzle quail quartz quilt rabbit radish raven reef ribbon river robin rocket saddle
saffron salmon sandal sequoia shell silver sloth spruce sugar thistle tiger tulip violet walnut zebra
"""

WORDS: Final = tuple(_TEXT.split())
