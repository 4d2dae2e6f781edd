// Vectors of tables, entries and whole matches.
import { hex, unhex } from './bytes.mjs';
import { H } from './hash.mjs';
import { dec } from './msgpack.mjs';
import { commitmentOf, coinOf, seatsOf, roster } from './table.mjs';
import { entry, equivocation, header } from './entry.mjs';
import { signed } from './identity.mjs';
import { Invalid, must } from './bytes.mjs';

export const tests = ({ load, is, check }) => ({
  entry() {
    const v = load('entry'), key = unhex(v.key), table = unhex(v.table);
    const arrive = bytes => { const e = entry(bytes); must(signed(key, 'entry', e.bytes, e.signature), 'signature'); return e; };
    for (const t of v.entries) { const e = arrive(unhex(t.entry)); is(hex(e.hash), t.hash, 'hash'); is(e.kind, t.header.kind, 'kind'); is(hex(e.body), t.body, 'body'); }
    for (const t of v.rejected) is(check(() => arrive(unhex(t.entry))), 'signature', t.change);
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
    for (const t of v['rejected rosters']) is(check(() => roster(dec(unhex(t.roster)))), 'record', t.change);
  },
});
void [Invalid, header];
