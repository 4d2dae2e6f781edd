// Verifiers of the proofs P1 to P5 (section 9).
import { chacha20poly1305 } from '@noble/ciphers/chacha.js';
import { cut, join, must, same, u64 } from './bytes.mjs';
import { H, HKDF } from './hash.mjs';
import { bytesOf, cardPoint, G, generator, inverse, many, mod, mul, point, scalar, scalarBytes, sum, ZERO } from './group.mjs';
import { begin, cardsHash } from './transcript.mjs';

const points = (b, check) => cut(b, 32).map(x => point(x, check));
const scalars = b => cut(b, 32).map(x => scalar(x));
const distinct = (b, check) => must(new Set(cut(b, 32).map(x => Buffer.from(x).toString('hex'))).size === b.length / 32, check, 'a point twice');

// ---- P1 shuffle -------------------------------------------------------------------------------------------------

export const shuffleSize = n => (n === 1 ? 32 * 4 : 32 * (3 * n + 10));

// `A` are points, `data` is the layout of section 8: deck, K, proof. Returns what the proof is about.
export function verifyShuffle(context, label, A, data, log) {
  const n = A.length;
  must(data.length === shuffleSize(n), 'encoding', 'length of a shuffle');
  const deckBytes = data.subarray(0, 32 * n), kBytes = data.subarray(32 * n, 32 * n + 32);
  const B = points(deckBytes), K = point(kBytes);
  distinct(deckBytes, 'encoding');
  const rest = data.subarray(32 * n + 32);
  const t = n === 1 ? begin(label + ', one', context) : begin(label, context);
  t.append('A', many(A)).append('B', deckBytes).append('K', kBytes);
  if (n === 1) {
    verifyEquality(t, A[0], B[0], K, rest, label + ' one');
    return { deck: B, K };
  }
  const at = i => rest.subarray(32 * i, 32 * i + 32);
  const [CpiB, CuB, CdB, CdeltaB, CaB, TB, TKB] = [0, 1, 2, 3, 4, 5, 6].map(at);
  const [Cpi, Cu, Cd, Cdelta, Ca, T, TK] = [CpiB, CuB, CdB, CdeltaB, CaB, TB, TKB].map(b => point(b));
  const fB = rest.subarray(32 * 7, 32 * (7 + n)), gB = rest.subarray(32 * (7 + n), 32 * (6 + 2 * n));
  const zB = at(6 + 2 * n), z1B = at(7 + 2 * n), zkB = at(8 + 2 * n);
  const f = scalars(fB), g = scalars(gB), z = scalar(zB), z1 = scalar(z1B), zk = scalar(zkB);

  t.append('C_pi', CpiB);
  const u = t.challenges('u', n);
  t.append('C_u', CuB);
  const lambda = t.challenge('lambda'), x = t.challenge('x');
  t.append('C_d', CdB).append('C_delta', CdeltaB).append('C_a', CaB).append('T', TB).append('T_K', TKB);
  const e = t.challenge('e');
  must(e, label + ' challenge e');
  t.append('f', fB).append('g', gB).append('z', zB).append("z'", z1B).append('z_k', zkB);
  const rho = t.challenge('rho');
  if (log) Object.assign(log, { u, lambda, x, e, rho });

  const m = u.map((v, i) => mod(v + lambda * BigInt(i + 1)));
  const over = inverse(e);
  let Fi = mod(f[0] - e * x), product = e;
  for (let i = 0; i < n - 1; i++) Fi = mod(over * mod(Fi * mod(f[i + 1] - e * x) + g[i]));
  for (const v of m) product = mod(product * mod(v - x));
  must(Fi === product, label + ' V1');
  const opened = f.map((v, i) => (i < n - 1 ? mod(v + rho * g[i]) : v));
  // com(opened; z + ρz') − e·C_u − eλ·C_π − C_d − ρe·C_a − ρ·C_Δ = 0
  const commitments = sum(
    [G, ...opened.map((_, i) => generator(i + 1)), Cu, Cpi, Cd, Ca, Cdelta],
    [z + rho * z1, ...opened, -e, -e * lambda, -1n, -rho * e, -rho]);
  must(commitments.equals(ZERO), label + ' V2+V3');
  must(sum([...B, ...A], [...f, ...m.map(v => -zk * v)]).equals(T), label + ' V4');
  must(sum([G, K], [zk, -e]).equals(TK), label + ' V5');
  return { deck: B, K };
}

// Equality of logarithms: B = k·A and K = k·G; the transcript has absorbed A, B, K.
function verifyEquality(t, A, B, K, proof, check) {
  const e = scalar(proof.subarray(0, 32)), z = scalar(proof.subarray(32, 64));
  t.append('T', bytesOf(sum([A, B], [z, -e]))).append('T_K', bytesOf(sum([G, K], [z, -e])));
  must(t.challenge('e') === e, check);
}

// ---- P2 lock ----------------------------------------------------------------------------------------------------

export const lockSize = n => 32 * (3 * n + 2);

// The equations of P2: `t` has begun; decks and tags are points. Returns ρ and the sum of all ρ·S.
function verifyKeys(t, label, from, to, tags, K, proof, log) {
  const n = from.length;
  const e = scalar(proof.subarray(0, 32)), zk = scalar(proof.subarray(32, 64)), z = scalars(proof.subarray(64));
  t.append('L', many(from)).append("L'", many(to)).append('S', many(tags)).append('K', bytesOf(K));
  must(n === z.length, label + ' length');
  const rho = t.challenges('rho', n), total = sum(tags, rho);
  t.append('t', many(from.map((p, j) => sum([to[j], p], [zk, -z[j]]))));
  t.append("t'", bytesOf(sum([G, total], [mod(z.reduce((a, x, j) => a + rho[j] * x, 0n)), -e])));
  t.append('t_K', bytesOf(sum([G, K], [zk, -e])));
  const again = t.challenge('e');
  if (log) Object.assign(log, { e: again, rho });
  must(again === e, label + ' proof');
  return { rho, total };
}

// `pledges` of P3, none without escrow.
export function verifyLock(context, label, from, K, data, log, pledges = []) {
  const n = from.length;
  must(data.length === lockSize(n), 'encoding', 'length of a lock');
  const deck = points(data.subarray(0, 32 * n)), tags = points(data.subarray(32 * n, 64 * n));
  distinct(data.subarray(0, 32 * n), 'encoding');
  const proof = data.subarray(64 * n);
  scalars(proof);
  const t = begin(label, context);
  if (pledges.length) t.append('pledges', join(...pledges.map(p => p.bytes.subarray(0, 64))));
  const { rho, total } = verifyKeys(t, label, from, deck, tags, K, proof, log);
  if (pledges.length) {
    const right = pledges.reduce((acc, p) => acc.add(p.B), total);
    must(mul(G, mod(pledges.reduce((a, p) => a + p.v, 0n))).equals(right), 'escrow sum');
  }
  return { deck, tags, rho, place: join(u64(context.slot), H('epoch input', many(from))) };
}

// ---- P3 escrow --------------------------------------------------------------------------------------------------

// `pairs` are [pledge bytes, box bytes] of the holders [{seat, key}] in seat order. Returns the pledges.
export function verifyPieces(context, holders, pairs) {
  must(pairs.length === holders.length, 'escrow length');
  const pledges = pairs.map(([bytes, box]) => {
    must(bytes.length === 96, 'encoding', 'length of a pledge');
    const pledge = { bytes, B: point(bytes.subarray(32, 64)), v: scalar(bytes.subarray(64)) };
    decodeBox(box, 32);
    return pledge;
  });
  holders.forEach((h, i) => verifyBox(context, h.seat, h.key, pairs[i][1], 32));
  return pledges;
}

const pieceInfo = ({ table, round, epoch, attempt }, giver, holder, n) =>
  join(u64(32), table, u64(round), u64(epoch), u64(attempt), u64(giver), u64(holder), u64(n));

// The pieces that a seed σ gives: the secret scalars of section 8.
export function pieces(seed, place, giver, holder, n) {
  return secretScalars(seed, 'escrow piece', pieceInfo(place, giver, holder, n), n);
}

// Is this the seed that was pledged, under the weights ρ of the lock and the place where it locked which deck?
export function fitsPledge(seed, pledge, { rho, place }, epoch, giver, holder) {
  const n = rho.length, info = pieceInfo(epoch, giver, holder, n);
  const [blind] = secretScalars(seed, 'escrow blind', join(info, place), 1);
  const sum = pieces(seed, epoch, giver, holder, n).reduce((a, t, j) => a + rho[j] * t, blind);
  return same(H('escrow seed', seed, info), pledge.bytes.subarray(0, 32)) && mod(sum) === pledge.v;
}

export function secretScalars(seed, label, info, n) {
  const out = [];
  for (let b = 0; out.length < n; b++) {
    const size = Math.min(128, n - out.length);
    for (const w of cut(HKDF(seed, label, 64 * size, join(info, u64(b))), 64)) {
      let v = 0n;
      for (let i = 63; i >= 0; i--) v = (v << 8n) | BigInt(w[i]);
      out.push(mod(v) || 1n);
    }
  }
  return out;
}

// Is the complaint itself sound? Returns the shared point.
export function verifyComplaint(context, box, complaint) {
  must(complaint.length === 96, 'escrow complaint', 'length of a complaint');
  const shared = point(complaint.subarray(0, 32), 'escrow complaint');
  const e = scalar(complaint.subarray(32, 64), 'escrow complaint'), r = scalar(complaint.subarray(64), 'escrow complaint');
  const t = begin('box complaint', context).append('box', box.state);
  t.append('A', bytesOf(box.E)).append('B', bytesOf(shared)).append('K', bytesOf(box.Z));
  verifyEquality(t, box.E, shared, box.Z, join(scalarBytes(e), scalarBytes(r)), 'escrow complaint');
  return shared;
}

// ---- P4 hands ---------------------------------------------------------------------------------------------------

const absorb = (t, hand) => t
  .append('handles', ...hand.map(h => join(u64(h.handle[0]), u64(h.handle[1]))))
  .append('Y', many(hand.map(h => h.Y))).append('S', many(hand.map(h => h.S)));
const handContext = (context, edition, ids) => ({ ...context, n: ids.length, cards: cardsHash(edition, ids) });

// All cards of the hand [{handle, Y, S}] are among `ids`.
export function verifyAll(context, edition, ids, hand, data) {
  const t = ids.length, h = hand.length, candidates = shuffleSize(t);
  must(data.length === candidates + 2 * h + 32 * (2 + h), 'encoding', 'length of a hand proof');
  const own = handContext(context, edition, ids);
  const head = data.subarray(0, candidates), at = data.subarray(candidates, candidates + 2 * h);
  const index = cut(at, 2).map(b => b[0] * 256 + b[1]);
  must(index.every(i => i < t) && new Set(index).size === h, 'encoding', 'indices');
  const proof = data.subarray(candidates + 2 * h);
  scalars(proof);
  const { deck, K } = verifyShuffle(own, 'hand all, candidates', ids.map(c => cardPoint(edition, c)), head);
  const s = absorb(begin('hand all, keys', own), hand).append('candidates', head).append('indices', at);
  verifyKeys(s, 'hand all, keys', index.map(i => deck[i]), hand.map(x => x.Y), hand.map(x => x.S), K, proof);
}

// At least one card of the hand is among `ids`.
export function verifyOne(context, edition, ids, hand, data) {
  const pairs = ids.length * hand.length;
  must(data.length === 64 * pairs, 'encoding', 'length of a hand proof');
  const all = scalars(data), e = all.slice(0, pairs), z = all.slice(pairs);
  const t = absorb(begin('hand one', handContext(context, edition, ids)), hand);
  t.append('t', many(e.map((v, k) => {
    const { Y } = hand[Math.floor(k / ids.length)];
    return sum([cardPoint(edition, ids[k % ids.length]), Y], [z[k], -v]);
  })));
  const total = t.challenge('e');
  must(total && total === mod(e.reduce((a, b) => a + b, 0n)), 'hand one proof');
}

// ---- P5 boxes ---------------------------------------------------------------------------------------------------

export const boxSize = length => 96 + length + 16;

function verifyKnowledge(t, Z, proof, check) {
  const e = scalar(proof.subarray(0, 32)), r = scalar(proof.subarray(32, 64));
  t.append('Z', bytesOf(Z)).append('R', bytesOf(sum([G, Z], [r, -e])));
  must(t.challenge('e') === e, check);
}
export function verifyBoxKey(context, data) {
  must(data.length === 96, 'encoding', 'length of a one-time key');
  const Z = point(data.subarray(0, 32));
  verifyKnowledge(begin('box key', context), Z, data.subarray(32), 'box key');
  return Z;
}
function decodeBox(data, length) {
  must(data.length === boxSize(length), 'encoding', 'length of a box');
  scalar(data.subarray(32, 64)); scalar(data.subarray(64, 96));
  return point(data.subarray(0, 32));
}
export function verifyBox(context, recipient, Z, data, length) {
  const E = decodeBox(data, length), ciphertext = data.subarray(96);
  const t = begin('box', context).append('recipient', u64(recipient)).append('key', bytesOf(Z));
  const associated = t.state();
  const info = t.append('E', bytesOf(E)).state();
  const state = t.append('ciphertext', ciphertext).state();
  verifyKnowledge(t, E, data.subarray(32, 96), 'box proof');
  return { E, Z, associated, info, state, ciphertext };
}
// The plaintext, or null if the box does not open.
export function openBox(box, shared) {
  try {
    return chacha20poly1305(HKDF(bytesOf(shared), 'box', 32, box.info), new Uint8Array(12), box.associated).decrypt(box.ciphertext);
  } catch { return null; }
}
// openings = u16(card) ‖ key, for each card of the hand.
export function verifyOpenings(edition, hand, data) {
  must(data.length === 34 * hand.length, 'encoding', 'length of the openings');
  const all = hand.map((_, i) => [data[34 * i] * 256 + data[34 * i + 1], scalar(data.subarray(34 * i + 2, 34 * i + 34))]);
  hand.forEach((h, i) => {
    const [c, s] = all[i];
    must(mul(G, s).equals(h.S), 'opening key');
    must(mul(cardPoint(edition, c), s).equals(h.Y), 'opening face');
  });
  return all.map(([c]) => c);
}
