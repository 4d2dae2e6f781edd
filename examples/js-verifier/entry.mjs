// Entries, their headers, proofs of equivocation (section 6).
import { must, same } from './bytes.mjs';
import { H } from './hash.mjs';
import { dec, isArray, isBytes, isInt } from './msgpack.mjs';
import { signed } from './identity.mjs';

export const CONTROL = new Set(['chat', 'vote', 'ready', 'refuse', 'withdraw', 'fork']);
const MAX = 2 ** 32 - 1;

export function header(bytes, check) {
  must(isBytes(bytes), check, 'header');
  const h = dec(bytes, { size: 256, depth: 1, values: 9, check });
  must(isArray(h, 8), check, 'header');
  const [table, writer, number, previous, slot, digest, kind, bodyHash] = h;
  must(isBytes(table, 32) && isInt(writer, 0, 9) && isInt(number, 0, MAX) && isBytes(previous, 32) && isInt(slot, 0, MAX)
    && isBytes(digest, 32) && typeof kind === 'string' && /^[\x00-\x7f]{1,16}$/.test(kind) && isBytes(bodyHash, 32), check, 'header');
  return { table, writer, number, previous, slot, digest, kind, bodyHash, bytes, hash: H('entry', bytes) };
}
// An entry as bytes, well formed, with its body; the writer and the signature are checked by `arrived`.
export function entry(bytes, check = 'record') {
  const e = dec(bytes, { size: 262144, depth: 1, check });
  must(isArray(e, 3) && isBytes(e[1], 64) && isBytes(e[2]), check, 'entry');
  const h = { ...header(e[0], check), signature: e[1], body: e[2] };
  must(same(H('body', h.body), h.bodyHash), check, 'another body');
  return h;
}
export function arrived(bytes, roster, check = 'signature') {
  const e = entry(bytes);
  const more = { number: e.number };
  must(same(e.table, roster.table), check, 'an entry of another table', more);
  must(e.writer < roster.players.length, check, 'nobody of this table');
  must(signed(roster.players[e.writer].key, 'entry', e.bytes, e.signature), check, 'not signed by its writer', more);
  return e;
}
// Do two headers of one writer contradict each other?
export const contradict = (a, b) =>
  (a.number === b.number && !same(a.hash, b.hash)) || (b.number === a.number + 1 && !same(b.previous, a.hash));

// A proof of equivocation [[header, signature], [header, signature]]: the writer, and the number.
export function equivocation(value, table, key, check = 'evidence') {
  must(isArray(value, 2), check, 'two headers');
  const [a, b] = value.map(s => {
    must(isArray(s, 2) && isBytes(s[1], 64), check, 'signed header');
    return { ...header(s[0], check), signature: s[1] };
  });
  must(a.writer === b.writer && same(a.table, table) && same(b.table, table), check, 'not of one writer at this table');
  const k = key(a.writer);
  must(k && [a, b].every(h => signed(k, 'entry', h.bytes, h.signature)), check, 'not signed');
  must(contradict(a, b), check, 'no contradiction');
  return { writer: a.writer, number: b.number, slots: [a.slot, b.slot] };
}
