#!/bin/sh
# demo-ui.sh NETLOOM: abilene with OSPF by FRR and two TCP flows that share an access link, and the
# page with a tour of seven steps. Ctrl-C ends the page and the network.
set -eu
netloom=$(realpath "$1")
cd "$(dirname "$0")/../examples/abilene"
for program in vtysh iperf3; do
    command -v "$program" >/dev/null || [ -x "/usr/lib/frr/$program" ] || {
        echo "demo-ui needs $program: apt-get install frr iperf3" >&2
        exit 1
    }
done
name=${NETLOOM_DEMO:-abilene}
"$netloom" deploy -t netloom.yaml --name "$name"
trap '"$netloom" destroy "$name"' EXIT
trap 'exit 0' INT TERM
echo 'OSPF converges …'
for router in seattle sunnyvale losangeles denver kansascity houston chicago indianapolis atlanta \
    washington newyork; do
    "$netloom" exec --env "NETLOOM_NODE=$router" "$router@$name" sh frr/start.sh >/dev/null &
    routers="${routers:-} $!"
done
for router in $routers; do wait "$router"; done
for flow in 5201 5202; do
    "$netloom" exec "host-seattle@$name" iperf3 --server --port "$flow" >/dev/null 2>&1 &
done
for flow in newyork:5201 atlanta:5202; do
    "$netloom" exec "host-${flow%:*}@$name" sh -c "until iperf3 --client host-seattle --reverse \
        --port ${flow#*:} --time 3600; do sleep 0.5; done" >/dev/null 2>&1 &
done
# The page, at its tour.
"$netloom" ui . --no-open | sed -u 's|/#|/?tour#|'
