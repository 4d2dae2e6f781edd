// The bodies of slot entries (section 10).
import { cut, must } from './bytes.mjs';
import { dec, isArray, isBytes, isInt } from './msgpack.mjs';
import { scalar } from './group.mjs';

const bytes = n => b => must(isBytes(b, n), 'body', 'bytes');
const key = b => { must(isBytes(b, 32), 'body', 'a key'); scalar(b, 'body'); };
const int = (low, high) => v => must(isInt(v, low, high), 'body', 'an integer');
const number = v => must(typeof v === 'number' || typeof v === 'bigint', 'body', 'an integer'); // 0 to 3 by the rules
const bool = v => must(typeof v === 'boolean', 'body', 'a boolean');
const or = f => v => v === null || f(v);
const tuple = (...fields) => v => { must(isArray(v, fields.length), 'body', 'length'); fields.forEach((f, i) => f(v[i])); };
const list = f => v => { must(isArray(v), 'body', 'a list'); v.forEach(f); };
const keys = b => { must(isBytes(b) && b.length % 32 === 0, 'body', 'keys'); cut(b, 32).forEach(key); };
const epoch = int(0, 63), index = int(0, 111), card = int(0, 111);
const shown = tuple(epoch, index, card, key);

const nothing = [tuple(), 64];
const kinds = {
  start: [tuple(bytes(32), bytes(64)), 128],
  coin: [tuple(bytes(32)), 64],
  shuffle: [tuple(bytes()), 65536],
  lock: [tuple(bytes(), list(tuple(bytes(), bytes()))), 65536, 3, 48],
  'epoch ok': nothing,
  'escrow complaint': [tuple(int(0, 9), bytes()), 192],
  keys: [tuple(keys), 3600],
  'turn up': [tuple(keys), 3600],
  colour: [tuple(int(0, 3)), 16],
  play: [tuple(epoch, index, card, key, or(number), or(bool)), 96],
  draw: nothing, pass: nothing, keep: nothing, take: nothing,
  called: nothing, quiet: nothing, caught: nothing, silent: nothing,
  heard: [tuple(bytes(), bytes(64)), 512],
  accept: nothing,
  challenge: [tuple(bytes()), 160],
  verdict: [tuple(bool, bytes(), bytes()), 256000],
  seen: nothing,
  complaint: [tuple(key), 48],
  show: [tuple(list(shown), bytes()), 256000, 3, 568],
  commit: [tuple(bytes(32)), 64],
  reveal: [tuple(bytes(32), list(shown)), 5440, 3, 568],
  open: [tuple(list(tuple(card, key))), 4496, 3, 344],
  shares: [tuple(b => must(isBytes(b) && b.length % 32 === 0, 'body', 'pieces')), 40976],
  leave: [tuple(keys), 3600],
  'round end': nothing,
  end: [tuple(bytes(32)), 64],
};
export function body(kind, data) {
  const [form, size, depth = 1, values = 8] = kinds[kind];
  const v = dec(data, { size, depth, values, check: 'body' });
  form(v);
  return v;
}
export const TAKES = {
  start: ['start'], coin: ['coin'], shuffle: ['shuffle'], lock: ['lock'], 'epoch ok': ['epoch ok', 'escrow complaint'],
  keys: ['keys'], 'turn up': ['turn up'], colour: ['colour'], move: ['draw', 'pass', 'play'], drawn: ['keep', 'play'],
  draw: ['draw'], answer: ['play', 'take'], window: ['called', 'caught', 'heard', 'quiet', 'silent'],
  accept: ['accept', 'challenge'], verdict: ['verdict'], seen: ['complaint', 'seen'], show: ['show'], commit: ['commit'],
  reveal: ['reveal'], open: ['open'], shares: ['shares'], 'round end': ['round end'], end: ['end'],
};
