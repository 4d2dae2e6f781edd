// Options, offers, the roster, the coin (sections 6 and 7).
import { compare, join, must, same, u32 } from './bytes.mjs';
import { H } from './hash.mjs';
import { dec, enc, isArray, isBytes, isInt } from './msgpack.mjs';
import { publicKey, signed } from './identity.mjs';
import { verifyBoxKey } from './proofs.mjs';
import { editions } from './editions.mjs';

// The code points that no name has (section 2).
const never = `
  0000-001F, 007F-00A0, 00AD, 0600-0605, 061C, 06DD, 070F, 0890-0891, 08E2, 1680, 180E, 2000-200F, 2028-202F, 205F-206F,
  3000, D800-F8FF, FDD0-FDEF, FEFF, FFF0-FFFB, 110BD, 110CD, 13430-1343F, 1BCA0-1BCA3, 1D173-1D17A, E0000-E00FF, F0000-10FFFF
`.split(',').map(range => { const [a, b = a] = range.trim().split('-').map(x => parseInt(x, 16)); return [a, b]; });

export function name(text) {
  const points = [...text];
  return points.length >= 1 && points.length <= 24 && !/^ | $|  /.test(text)
    && points.every(p => { const c = p.codePointAt(0); return (c & 0xffff) < 0xfffe && !never.some(([a, b]) => a <= c && c <= b); });
}

function options(list, check) {
  must(isArray(list, 9), check, 'options');
  const [edition, seats, target, stacking, clock, window, keep, grace, escrow] = list;
  const e = typeof edition === 'string' && Object.hasOwn(editions, edition) ? editions[edition] : null;
  must(e, check, 'no such edition');
  must(isInt(seats, e.players[0], e.players[1]), check, 'seats');
  must(e.targets.includes(target), check, 'target');
  must(stacking === false || (stacking === true && e.stacking), check, 'stacking');
  must(isInt(clock, 0, 3600) && isInt(window, 100, 60000) && isInt(keep, 0, 10000) && isInt(grace, 1, 3600), check, 'times');
  must(escrow === false || (escrow === true && seats >= 3), check, 'escrow');
  return { edition, seats, target, stacking, clock, window, keep, grace, escrow };
}

// The roster, with every check of section 6 but those about an own offer.
export function roster(value, check = 'record') {
  must(isArray(value, 2) && isArray(value[0]) && isBytes(value[1], 64), check, 'roster');
  must(value[0].length >= 2 && value[0].length <= 10, check, 'players');
  const players = value[0].map(s => {
    must(isArray(s, 2) && isBytes(s[0]) && isBytes(s[1], 64), check, 'signed offer');
    const o = dec(s[0], { size: 1024, depth: 2, values: 24, check });
    must(isArray(o, 9) && o[0] === 1, check, 'offer');
    const p = { offer: s[0], options: options(o[1], check), optionsBytes: enc(o[1]), hostKey: o[2], hostNonce: o[3], key: o[4], name: o[5], nonce: o[6], commitment: o[7] };
    for (const b of [p.hostKey, p.hostNonce, p.key, p.nonce, p.commitment]) must(isBytes(b, 32), check, 'offer');
    must(typeof p.name === 'string' && name(p.name), check, 'name');
    publicKey(p.key, check); publicKey(p.hostKey, check);
    must(signed(p.key, 'offer', s[0], s[1]), check, "an offer's signature");
    must(isBytes(o[8], p.options.escrow ? 96 : 0), check, 'box key');
    if (p.options.escrow) {
      try {
        p.box = verifyBoxKey({ table: p.hostNonce, round: 0, epoch: 0, attempt: 0, seat: 0, slot: 0, n: 0, cards: p.key }, o[8]);
      } catch (e) { must(false, check, e.message); }
    }
    return p;
  });
  const [first] = players;
  must(players.length <= first.options.seats, check, 'more players than seats');
  players.forEach((p, i) => {
    must(i === 0 || compare(players[i - 1].key, p.key) < 0, check, 'keys not ascending');
    must(same(p.optionsBytes, first.optionsBytes) && same(p.hostKey, first.hostKey) && same(p.hostNonce, first.hostNonce), check, 'offers differ');
  });
  const host = players.findIndex(p => same(p.key, first.hostKey));
  must(host >= 0, check, 'no host');
  const table = H('table', first.optionsBytes, ...players.map(p => p.offer));
  must(signed(first.hostKey, 'roster', join(first.hostNonce, table), value[1]), check, "the host's signature");
  return { players, options: first.options, hostNonce: first.hostNonce, host, table };
}

export const commitmentOf = (key, r) => H('coin', key, r);
export const coinOf = (table, shares) => H('coin result', table, ...shares);
export function seatsOf(coin, n) {
  const list = Array.from({ length: n }, (_, i) => i);
  let counter = 0;
  for (let last = n - 1; last >= 1; last--) {
    const bound = 256 - (256 % (last + 1));
    let b;
    do b = H('seat', coin, u32(counter++))[0]; while (b >= bound);
    const at = b % (last + 1);
    [list[last], list[at]] = [list[at], list[last]];
  }
  return list;
}
