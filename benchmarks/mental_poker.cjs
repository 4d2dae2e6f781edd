// One deal by the npm package mental-poker, as its README tells it; see mental_poker.py.
//
//     node mental_poker.cjs PLAYERS CARDS HAND ROUNDS
//
// Writes one JSON object: milliseconds of processor time of all players together, the best of the rounds, and whether
// the curve's arithmetic is compiled or in JavaScript.

'use strict';

const { randomInt } = require('crypto');
const { createConfig, createDeck, createPlayer, decryptCard, decryptDeck, encryptDeck } = require('mental-poker');

const [players, cards, hand, rounds] = process.argv.slice(2).map(Number);

function compiled() {
  try {
    require('secp256k1/bindings');
    return true;
  } catch {
    return false;
  }
}

// The package leaves the shuffling itself to whoever uses it.
function shuffled(deck) {
  const result = [...deck];
  for (let i = result.length - 1; i > 0; i -= 1) {
    const j = randomInt(i + 1);
    [result[i], result[j]] = [result[j], result[i]];
  }
  return result;
}

function deal() {
  const ms = {};
  const timed = (step, work) => {
    const begun = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(begun);
    ms[step] = (user + system) / 1000;
    return result;
  };
  const config = createConfig(cards);
  // Keys, and each player's part in the points of the cards; everybody adds the parts up.
  const everybody = timed('keys', () => Array.from({ length: players }, () => createPlayer(config)));
  const [codewords] = timed('cards', () =>
    everybody.map(() => createDeck(everybody.map(player => player.cardCodewordFragments))));
  const whole = player => player.keyPairs[cards].privateKey;
  let deck = timed('shuffle', () =>
    everybody.reduce((before, player) => encryptDeck(shuffled(before), whole(player)), codewords));
  deck = timed('lock', () =>
    everybody.reduce(
      (before, player) =>
        encryptDeck(decryptDeck(before, whole(player)), player.keyPairs.map(pair => pair.privateKey)),
      deck));
  const read = timed('read', () =>
    deck.slice(0, players * hand).map((card, i) => {
      const open = decryptCard(card, everybody.map(player => player.keyPairs[i].privateKey));
      return codewords.findIndex(codeword => codeword.equals(open));
    }));
  if (new Set(read).size !== players * hand || read.includes(-1)) {
    throw new Error('a card did not open');
  }
  return ms;
}

const best = {};
for (let round = 0; round < rounds; round += 1) {
  for (const [step, ms] of Object.entries(deal())) {
    best[step] = Math.min(best[step] ?? Infinity, ms);
  }
}
console.log(JSON.stringify({ compiled: compiled(), ms: best }));
