"""The page's style sheet: light and dark by the reader's own setting, one column that fits wide and narrow."""

from __future__ import annotations

# Ten seats that colour-blind eyes tell apart as well as ten can be; a number stands beside every colour.
SEATS_LIGHT = (
    "#0072b2", "#c24e00", "#00795a", "#a8548c", "#8a6d00", "#2b7fb8", "#6b4fb3", "#8c2d2d", "#4f6b1f", "#555e68",
)  # fmt: skip
SEATS_DARK = (
    "#5ab4f0", "#ff9a4d", "#2fd3a5", "#ef9fd2", "#e8cf4d", "#9cd3f5", "#b7a1f5", "#f28b82", "#b5d36b", "#b8c2cc",
)  # fmt: skip
CARDS = {
    "red": ("#c8372d", "#fff"),
    "yellow": ("#f0c419", "#222"),
    "green": ("#2e8540", "#fff"),
    "blue": ("#1f62b5", "#fff"),
    "orange": ("#e87f1e", "#222"),
    "purple": ("#7a4bb0", "#fff"),
}

BASE = """
:root{color-scheme:light dark;--page:#fbfaf7;--card:#fff;--ink:#1c1f23;--dim:#5c6570;--line:#dcd9d0;--soft:#f1efe8;
--good:#00674a;--goodbg:#e2f3ec;--bad:#a3221b;--badbg:#fbe6e3;--open:#7a5500;--openbg:#fdf1d3;--more:31,98,181;
--less:200,90,10;--link:#1a5fa8}
@media (prefers-color-scheme:dark){:root{--page:#15171a;--card:#1d2024;--ink:#e8e6e1;--dim:#a0a8b1;--line:#363b42;
--soft:#262a30;--good:#63d9b0;--goodbg:#14352b;--bad:#ff9d94;--badbg:#45201d;--open:#f2cd6b;--openbg:#3b301a;
--more:90,160,240;--less:240,140,60;--link:#8cc0f5}}
*{box-sizing:border-box}
html{scroll-behavior:smooth}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,
"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
main,header,footer,nav ul{max-width:72rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:1.75rem}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 .25rem}
h2{font-size:1.25rem;margin:0 0 .5rem}
h3{font-size:1rem;margin:1.25rem 0 .25rem}
p{margin:.4rem 0 .8rem;max-width:48rem}
a{color:var(--link)}
.dim{color:var(--dim)}
.small{font-size:.875rem}
code,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.85em}
.verdict{border-left:.4rem solid;border-radius:.4rem;padding:.8rem 1rem;margin:1rem 0}
.verdict strong{font-size:1.1rem;letter-spacing:.02em}
.verdict p{margin:.2rem 0 0;max-width:none}
.good{color:var(--good);background:var(--goodbg)}.bad{color:var(--bad);background:var(--badbg)}
.open{color:var(--open);background:var(--openbg)}
.verdict p{color:var(--ink)}
nav{position:sticky;top:0;z-index:2;background:var(--page);border-bottom:1px solid var(--line)}
nav ul{display:flex;gap:.25rem 1.1rem;list-style:none;overflow-x:auto;white-space:nowrap;padding-top:.5rem;
padding-bottom:.5rem}
nav a{text-decoration:none}
nav a:hover,nav a:focus{text-decoration:underline}
section{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:1rem 1.25rem;margin:1.1rem 0;
scroll-margin-top:3.2rem}
ul.plain{list-style:none;padding:0;margin:.4rem 0}
ul.plain li{padding:.15rem 0}
.scroll{overflow-x:auto;margin:.5rem 0}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem}
th,td{text-align:left;padding:.3rem .7rem .3rem 0;border-bottom:1px solid var(--line);vertical-align:top}
th,td{overflow-wrap:normal}
th{font-weight:600;color:var(--dim);font-size:.82rem;vertical-align:bottom}
td.n,th.n{text-align:right;white-space:nowrap}td.claim{min-width:13rem}
td.people .seat{white-space:nowrap}h4{font-size:.92rem;margin:.6rem 0 0}
.scroll table.heat{border-collapse:separate;border-spacing:2px}
table.heat td,table.heat th{border:0;padding:.25rem .35rem;text-align:center;white-space:nowrap}
table.heat th[scope=row]{text-align:right;color:var(--ink);font-weight:400;font-size:.85rem}
table.heat td{border-radius:.25rem;min-width:2.9rem;background:var(--soft)}
table.heat small{color:var(--dim);font-size:.72rem;display:block;line-height:1.1}
.seat{display:inline-flex;align-items:center;gap:.4rem}
.seat b{display:inline-grid;place-items:center;min-width:1.35em;height:1.35em;border-radius:.3em;color:var(--card);
font-size:.8em;padding:0 .25em;flex:none}
svg{display:block;width:100%;overflow:visible}
.grid{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke}
.target{stroke:var(--dim);stroke-width:1.5;stroke-dasharray:6 4;vector-effect:non-scaling-stroke}
.deckmark{fill:var(--ink)}.casemark{fill:var(--bad)}
.curve{fill:none;stroke-width:2.2;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.area{opacity:.25}
.hand{display:grid;grid-template-columns:minmax(7rem,11rem) 1fr 4.5rem;gap:.75rem;align-items:center;padding:.2rem 0}
.hand svg{height:3rem}.hand .small{text-align:right}
.chart{display:grid;grid-template-columns:2.6rem 1fr 3.2rem;grid-template-rows:15rem 1.5rem;margin:.5rem 0}
.chart svg{height:100%}.chart div{position:relative}
.chart span{position:absolute;font-size:.78rem;line-height:1;color:var(--dim);white-space:nowrap}
.chart .left span{right:.5rem;transform:translateY(-50%)}.chart .right span{left:.5rem;transform:translateY(-50%)}
.chart .below{grid-column:2}.chart .below span{top:.45rem;transform:translateX(-50%)}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.2rem;list-style:none;padding:0;margin:.5rem 0;font-size:.92rem}
.bars{display:grid;grid-template-columns:minmax(7rem,12rem) 1fr;gap:.35rem .75rem;align-items:center;margin:.5rem 0}
.bar{display:flex;align-items:center;gap:.5rem}
.bar i{display:block;height:1.1rem;border-radius:.2rem;min-width:2px}
details{border-top:1px solid var(--line);padding:.55rem 0}
details summary{cursor:pointer;padding:.1rem 0}
details summary::marker{color:var(--dim)}
.strip{display:block;margin:.35rem 0 .15rem}
.strip svg{height:1.6rem}
ol.turns{list-style:none;margin:.5rem 0;padding:0}
ol.turns>li{display:grid;grid-template-columns:minmax(6rem,10rem) 1fr;gap:.1rem .9rem;padding:.2rem 0;
border-top:1px solid var(--soft)}
ol.turns ul{list-style:none;margin:0;padding:0}
.proof{border-left:3px solid var(--good);padding-left:.5rem}
.said{color:var(--dim)}
.deck{margin:.6rem 0}
.cards{display:flex;flex-wrap:wrap;gap:1px;align-items:center}
.cards i{font:600 .62rem/1.05rem ui-monospace,Menlo,Consolas,monospace;font-style:normal;width:1.05rem;
text-align:center;border-radius:.15rem}
.cards .w{background:var(--ink);color:var(--page)}
.cards .rest{font:.78rem/1.05rem system-ui,sans-serif;color:var(--dim);width:auto;padding:0 .4rem;
border:1px dashed var(--line)}
.cards .k{outline:0}
footer{padding-bottom:2.5rem;color:var(--dim);font-size:.875rem}
@media (max-width:40rem){main,header,footer,nav ul{padding-left:.8rem;padding-right:.8rem}section{padding:.8rem .8rem}
h1{font-size:1.35rem}.hand{grid-template-columns:1fr 4.5rem}.hand svg{grid-column:1/-1;grid-row:2}
ol.turns>li{grid-template-columns:1fr}.bars{grid-template-columns:1fr}.bars .bar{margin-bottom:.4rem}
th,td{padding-right:.55rem}}
@media print{nav{display:none}section{break-inside:avoid-page}}
"""


def sheet(colours: tuple[str, ...]) -> str:
    """All rules, for an edition's colours in the order of their numbers."""
    rules = [BASE]
    for seat, (light, dark) in enumerate(zip(SEATS_LIGHT, SEATS_DARK, strict=True)):
        rules.append(f".s{seat}{{--s:{light}}}@media (prefers-color-scheme:dark){{.s{seat}{{--s:{dark}}}}}")
    rules.append(".fill{fill:var(--s)}.curve{stroke:var(--s)}.back{background:var(--s)}")
    for number, colour in enumerate(colours):
        back, ink = CARDS.get(colour, ("#777", "#fff"))
        rules.append(f".cards .c{number}{{background:{back};color:{ink}}}")
    return "".join(rules)
