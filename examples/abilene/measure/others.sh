# The other hosts, for the scripts beside this one.
others=
for city in seattle losangeles atlanta newyork; do
    [ "host-$city" = "$NETLOOM_NODE" ] || others="$others host-$city"
done
