#!/usr/bin/env bash
# A LAN in one machine: hosts are network namespaces, cables are veth pairs into a bridge in a namespace of its own.
# The machine's own network is not touched. Needs root and iproute2; `cut` and `block` need nftables too.
#
#   lan.sh up N              a switch and hosts 1 to N: 10.77.0.I/24 and fd77::I/64 on eth0
#   lan.sh down              take everything away, and end what still runs in there
#   lan.sh unplug I | plug I    pull and push in the cable of host I; the host keeps its addresses
#   lan.sh off I | on I      switch the interface of host I itself off and on, addresses and routes included
#   lan.sh strip I           leave host I nothing but loopback
#   lan.sh cut "1 2" "3"     drop every frame between the two groups, silently
#   lan.sh block I PROTO PORT   drop what host I sends or gets on one port, silently
#   lan.sh slow I RATE       both directions of host I at this rate, for example 256kbit
#   lan.sh heal              undo cut, block and slow
#
# LAN names the namespaces, so that two test runs do not meet: $LAN-1, $LAN-2, …, $LAN-switch.
set -euo pipefail

lan=${LAN:-nodealer}
switch=$lan-switch

inside() { ip netns exec "$lan-$1" "${@:2}"; }
hosts() { ip netns list | awk '{ print $1 }' | sed -n "s/^$lan-\([0-9][0-9]*\)$/\1/p"; }

address() {
    ip -n "$lan-$1" address replace "10.77.0.$1/24" broadcast 10.77.0.255 dev eth0
    ip -n "$lan-$1" address replace "fd77::$1/64" dev eth0 nodad
}

add_switch() {
    ip netns add "$switch"
    ip -n "$switch" link set lo up
    # No spanning tree and no snooping: a port forwards, multicast too, from its first moment.
    ip -n "$switch" link add bridge type bridge stp_state 0 forward_delay 0 mcast_snooping 0
    ip -n "$switch" link set bridge up
}

add_host() {
    ip netns add "$lan-$1"
    inside "$1" sh -c 'echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad'
    ip -n "$lan-$1" link add eth0 type veth peer name "port$1" netns "$switch"
    ip -n "$switch" link set "port$1" master bridge up
    ip -n "$lan-$1" link set lo up
    ip -n "$lan-$1" link set eth0 up
    address "$1"
}

remove_host() {
    local pids
    pids=$(ip netns pids "$lan-$1")
    [[ -z $pids ]] || kill -KILL $pids 2>/dev/null || true
    ip netns delete "$lan-$1"
}

ports() {
    local names
    names=$(printf '"port%s", ' $1)
    echo "${names%, }"
}

action=${1:-}
shift || true
case $action in
up)
    add_switch
    for host in $(seq 1 "$1"); do add_host "$host"; done
    ;;
down)
    for host in $(hosts); do remove_host "$host"; done
    ip netns delete "$switch" 2>/dev/null || true
    ;;
unplug) ip -n "$switch" link set "port$1" down ;;
plug) ip -n "$switch" link set "port$1" up ;;
off)
    ip -n "$lan-$1" address flush dev eth0
    ip -n "$lan-$1" link set eth0 down
    ;;
on)
    ip -n "$lan-$1" link set eth0 up
    address "$1"
    ;;
strip) ip -n "$lan-$1" link delete eth0 ;;
cut)
    ip netns exec "$switch" nft -f - <<END
table bridge cut {
    chain between {
        type filter hook forward priority 0
        iifname { $(ports "$1") } oifname { $(ports "$2") } drop
        iifname { $(ports "$2") } oifname { $(ports "$1") } drop
    }
}
END
    ;;
block)
    inside "$1" nft -f - <<END
table inet block {
    chain coming {
        type filter hook input priority 0
        $2 dport $3 drop
        $2 sport $3 drop
    }
    chain going {
        type filter hook output priority 0
        $2 dport $3 drop
        $2 sport $3 drop
    }
}
END
    ;;
slow)
    inside "$1" tc qdisc replace dev eth0 root tbf rate "$2" burst 5k latency 400ms
    ip netns exec "$switch" tc qdisc replace dev "port$1" root tbf rate "$2" burst 5k latency 400ms
    ;;
heal)
    ip netns exec "$switch" nft flush ruleset
    for host in $(hosts); do
        inside "$host" nft flush ruleset
        inside "$host" tc qdisc delete dev eth0 root 2>/dev/null || true
        ip netns exec "$switch" tc qdisc delete dev "port$host" root 2>/dev/null || true
    done
    ;;
*)
    sed -n '2,17p' "$0"
    exit 2
    ;;
esac
