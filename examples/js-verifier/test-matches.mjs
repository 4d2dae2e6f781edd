// Vectors of tables, entries and whole matches.
import fs from 'node:fs';
import { hex, join, must, unhex } from './bytes.mjs';
import { H } from './hash.mjs';
import { dec } from './msgpack.mjs';
import { commitmentOf, coinOf, name, seatsOf, roster } from './table.mjs';
import { entry, equivocation } from './entry.mjs';
import { signed } from './identity.mjs';
import { verify } from './verify.mjs';

export const tests = ({ load, is, check, folder }) => ({
  entry() {
    const v = load('entry'), key = unhex(v.key), table = unhex(v.table);
    const arrive = bytes => { const e = entry(bytes); must(signed(key, 'entry', e.bytes, e.signature), 'signature'); return e; };
    for (const t of v.entries) { const e = arrive(unhex(t.entry)); is(hex(e.hash), t.hash, 'hash'); is(e.kind, t.header.kind, 'kind'); is(hex(e.body), t.body, 'body'); }
    for (const t of v.rejected) is(check(() => arrive(unhex(t.entry))) !== 'accepted', true, t.change);
    for (const t of v['proofs of equivocation']) is(check(() => equivocation(dec(unhex(t.proof)), table, () => key)), 'accepted', t.why);
    for (const t of v['rejected proofs']) is(check(() => equivocation(dec(unhex(t.proof)), table, () => key)), 'evidence', t.change);
  },
  table() {
    const v = load('table'), r = roster(dec(unhex(v.roster)));
    is(hex(r.table), v.table, 'table');
    is(hex(H('first digest', r.table)), v['first digest'], 'first digest');
    const order = v['roster order'].map(i => v.players[i]);
    is(order.map((p, i) => hex(commitmentOf(r.players[i].key, unhex(p.secret.share))) === hex(r.players[i].commitment)), order.map(() => true), 'commitments');
    const coin = coinOf(r.table, order.map(p => unhex(p.secret.share)));
    is(hex(coin), v.coin, 'coin');
    is(seatsOf(coin, order.length), v.seats, 'seats');
    for (const t of v['seats for other coins']) is(seatsOf(unhex(t.coin), t.players), t.seats, 'seats');
    for (const n of v.names) is(name(n), true, 'name ' + n);
    for (const t of v['rejected names']) is([name(t.from), name(t.name)], [true, false], 'name, ' + t.change);
    for (const t of v['rejected rosters']) is(check(() => roster(dec(unhex(t.roster)))), 'record', t.change);
  },
  matches() {
    const read = name => new Uint8Array(fs.readFileSync(new URL(name, folder)));
    const states = load('states').states;
    for (const m of load('matches').matches) {
      const slots = [], engines = new Map();
      let match = null;
      const note = (kind, owed, digest, state) => {
        if (kind) slots.push(`${kind}|${owed.join(' ')}|${hex(digest)}|${hex(state)}`);
        engines.set(kind ? slots.length - 1 : slots.length, state);
      };
      const r = verify(read(m.file), note);
      match = r.match;
      is([r.status, r.records], [m.status, m.records], m.file);
      is(slots, m.slots, 'slots of ' + m.file);
      is(m.players.map(p => match.seats[p.seat]), m.players.map(p => p.writer), 'seats of ' + m.file);
      is([match.engine.s.scores, match.engine.s.winner], [m.scores, m.winner], 'scores of ' + m.file);
      if (m['final digest']) is(hex(match.final ?? match.digest), m['final digest'], 'final digest of ' + m.file);
      for (const t of states.filter(x => x.file === m.file)) {
        is(hex(H('engine state', unhex(t.state))), t.digest, 'digest of a state');
        is(hex(engines.get(t.slot) ?? []), t.digest, `state of slot ${t.slot} of ${m.file}`);
      }
    }
  },
  invalid() {
    const v = load('invalid');
    const made = t => {
      const valid = new Uint8Array(fs.readFileSync(new URL(t.from, folder)));
      const piece = p => (typeof p === 'string' ? unhex(p) : typeof p === 'number' ? new Uint8Array(p) : valid.subarray(...p));
      return verify(join(valid.subarray(0, t.keep), ...t.then.map(piece)));
    };
    for (const t of v.invalid) {
      const r = made(t);
      is([r.status, r.check, r.name, r.number], ['invalid', t.check, t.writer, t.number], `${t.from}, ${t.change}`);
    }
    for (const t of v['not invalid']) {
      const r = made(t), ignored = r.match.ignored.map(x => [r.match.roster.players[x.writer].name, x.number]);
      is([r.status, ignored], [t.status, t.ignored], `${t.from}, ${t.change}`);
    }
  },
});
