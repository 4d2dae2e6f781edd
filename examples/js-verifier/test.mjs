// The JSON vectors: node test.mjs [name …]
import fs from 'node:fs';
import { hex, unhex, join, u64, F, Invalid } from './bytes.mjs';
import { H, H64, HKDF } from './hash.mjs';
import { enc, dec } from './msgpack.mjs';
import * as group from './group.mjs';
import { Transcript, begin, cardsHash } from './transcript.mjs';
import * as proofs from './proofs.mjs';
import { publicKey, signed } from './identity.mjs';

const folder = new URL('../../tests/vectors/', import.meta.url);
const load = name => JSON.parse(fs.readFileSync(new URL(name + '.json', folder)));
let good = 0, bad = 0;
export const is = (a, b, what) => {
  const x = typeof a === 'string' ? a : JSON.stringify(a), y = typeof b === 'string' ? b : JSON.stringify(b);
  if (x === y) good++; else { bad++; console.log(`FAULT ${what}: got ${x.slice(0, 160)}, wanted ${y.slice(0, 160)}`); }
};
const check = f => { try { f(); return 'accepted'; } catch (e) { if (e instanceof Invalid) return e.check; throw e; } };
const ctx = c => ({ ...c, table: unhex(c.table), cards: unhex(c.cards) });
const pts = list => list.map(p => group.point(unhex(p)));
const sc = x => hex(group.scalarBytes(x));

const tests = {
  hash() {
    const v = load('hash');
    for (const t of v.digest64) is(hex(H64(t.label, ...t.parts.map(unhex))), t.digest64, 'H64');
    for (const t of v.expand) is(hex(HKDF(unhex(t.seed), t.label, t.output.length / 2, unhex(t.info))), t.output, 'HKDF');
  },
  encoding() {
    const v = load('encoding');
    for (const t of v.accepted) is(check(() => is(hex(enc(dec(unhex(t.bytes)))), t.bytes, 'encoding')), 'accepted', 'encoding ' + t.bytes);
    for (const t of v.rejected) is(check(() => dec(unhex(t.bytes))), 'body', 'encoding ' + t.change);
  },
  group() {
    const v = load('group');
    is(sc(group.L), v.order, 'order');
    for (const t of v.hash_to_point) is(hex(group.bytesOf(group.hashToPoint(t.label, ...t.parts.map(unhex)))), t.point, 'P');
    v.generators.forEach((g, i) => is(hex(group.bytesOf(group.generator(i + 1))), g, 'generator'));
    for (const t of v.rejected_points) is(check(() => group.point(unhex(t.point))), 'encoding', 'point ' + t.change);
    for (const t of v.rejected_scalars) is(check(() => group.scalar(unhex(t.scalar))), 'encoding', 'scalar ' + t.change);
  },
  cards() {
    const v = load('cards');
    for (const t of v.points) is(hex(group.bytesOf(group.cardPoint(t.edition, t.card))), t.point, 'card');
    for (const t of v.lists) is(hex(cardsHash(t.edition, t.cards)), t.hash, 'cards hash');
  },
  identity() {
    const v = load('identity');
    for (const t of v.signatures) is(signed(unhex(v.public), t.label, unhex(t.message), unhex(t.signature)), true, 'signature');
    for (const t of v.rejected) is(check(() => { publicKey(unhex(t.public)); if (!signed(unhex(t.public), t.label, unhex(t.message), unhex(t.signature))) throw new Invalid('signature'); }), t.check, t.change);
  },
  transcript() {
    const v = load('transcript');
    for (const t of v.transcripts) {
      const s = new Transcript();
      for (const [l, d] of t.append) s.append(l, unhex(d));
      is(hex(s.state()), t.state, 'state');
      is(sc(s.challenge('e')), t['challenge e'], 'challenge');
      is(s.challenges('u', t['then challenges u'].length).map(sc), t['then challenges u'], 'challenges');
      is(hex(s.state()), t['state after'], 'state after');
    }
    for (const c of v.contexts) is(hex(begin(c.statement, ctx(c)).state()), c.state, 'context');
  },
  shuffle() {
    const v = load('shuffle'), A = pts(v.input), log = {};
    proofs.verifyShuffle(ctx(v.context), 'shuffle', A, unhex(v.accepted), log);
    is({ u: log.u.map(sc), lambda: sc(log.lambda), x: sc(log.x), e: sc(log.e), rho: sc(log.rho) }, v.challenges, 'challenges');
    is(check(() => proofs.verifyShuffle({ ...ctx(v.context), n: 1, cards: cardsHash('four-colors', [0]) }, 'shuffle', A.slice(0, 1), unhex(v['accepted one card']))), 'accepted', 'one card');
    for (const t of v.rejected) is(check(() => proofs.verifyShuffle(ctx(t.context ?? v.context), 'shuffle', A, unhex(t.data))), t.check, t.change);
  },
  lock() {
    const v = load('lock'), A = pts(v.input), K = group.point(unhex(v.K)), log = {};
    proofs.verifyLock(ctx(v.context), 'lock', A, K, unhex(v.accepted), log);
    is({ rho: log.rho.map(sc), e: sc(log.e) }, v.challenges, 'challenges');
    for (const t of v.rejected) is(check(() => proofs.verifyLock(ctx(v.context), 'lock', A, K, unhex(t.data))), t.check, t.change);
  },
  hand() {
    const v = load('hand'), edition = 'four-colors';
    const hand = v.handles.map((handle, i) => ({ handle, Y: pts(v.commitments)[i], S: pts(v.tags)[i] }));
    const f = { 'accepted all': proofs.verifyAll, 'accepted one': proofs.verifyOne };
    for (const name in f) is(check(() => f[name](ctx(v.context), edition, v.allowed, hand, unhex(v[name]))), 'accepted', name);
    for (const t of v.rejected) {
      const turned = t.hand ? [...hand].reverse() : hand;
      is(check(() => f[t.from](ctx(v.context), edition, t.allowed ?? v.allowed, turned, unhex(t.data))), t.check, t.from + ', ' + t.change);
    }
    is(proofs.verifyOpenings(edition, hand, unhex(v.openings)), v.secret.cards, 'openings');
    for (const t of v['rejected openings']) is(check(() => proofs.verifyOpenings(edition, hand, unhex(t.data))), t.check, t.change);
  },
  box() {
    const v = load('box'), c = ctx(v.context), length = v.plaintext.length / 2;
    const Z = proofs.verifyBoxKey(ctx(v['key context']), unhex(v.key));
    for (const t of v['rejected keys']) is(check(() => proofs.verifyBoxKey(ctx(t.context), unhex(t.data))), t.check, t.change);
    const box = proofs.verifyBox(c, v.recipient, Z, unhex(v.accepted), length);
    is(hex(proofs.openBox(box, group.mul(box.E, group.little(unhex(v.secret.z)))) ?? []), v.plaintext, 'box');
    for (const t of v.rejected) is(check(() => proofs.verifyBox(c, t.recipient, Z, unhex(t.data), length)), t.check, t.change);
    is(check(() => proofs.verifyComplaint({ ...c, seat: v.recipient, slot: v['complaint slot'] }, box, unhex(v.complaint))), 'accepted', 'complaint');
    for (const t of v['rejected complaints']) is(check(() => proofs.verifyComplaint({ ...c, seat: v.recipient, slot: t.slot }, box, unhex(t.data))), t.check, t.change);
  },
  epoch() {
    const v = load('epoch'), c = { table: unhex(v.table), round: v.round, epoch: v.epoch, attempt: v.attempt };
    const info = join(F(c.table), u64(v.round), u64(v.epoch), u64(v.attempt), u64(v.seat), u64(v.n));
    is(sc(proofs.secretScalars(unhex(v.seed), 'epoch mask', info, 1)[0]), v.mask, 'mask');
    is(proofs.secretScalars(unhex(v.seed), 'epoch keys', info, v.n).map(sc), v.keys, 'keys');
    const t = v.escrow.holders.map((q, i) => proofs.pieces(unhex(v.escrow.sigma[i]), c, v.seat, q, v.n));
    is(t.map(list => list.map(sc)), v.escrow.pieces, 'pieces');
    v.escrow.holders.forEach((q, i) => {
      const pledge = { bytes: unhex(v.escrow.pledges[i]), v: group.little(unhex(v.escrow.pledges[i]).subarray(64)) };
      const sums = { rho: v.escrow.rho.map(r => group.little(unhex(r))), place: join(u64(v.escrow.slot), unhex(v.escrow['lock input'])) };
      is(proofs.fitsPledge(unhex(v.escrow.sigma[i]), pledge, sums, c, v.seat, q), true, 'pledge');
    });
    is(t[0].map((_, j) => sc(group.mod(t.reduce((a, p) => a + p[j], 0n)))), v.escrow.keys, 'sums');
  },
};

const more = fs.existsSync(new URL('./test-matches.mjs', import.meta.url)) ? (await import('./test-matches.mjs')).tests({ load, is, check, folder }) : {};
for (const [name, test] of Object.entries({ ...tests, ...more })) {
  if (process.argv.length > 2 && !process.argv.includes(name)) continue;
  const start = Date.now(), before = bad;
  try { test(); } catch (e) { bad++; console.log(`FAULT ${name}: ${e.stack}`); }
  console.log(`${name}: ${bad === before ? 'ok' : 'FAULTS'} (${Date.now() - start} ms)`);
}
console.log(`${good} good, ${bad} bad`);
process.exitCode = bad ? 1 : 0;
