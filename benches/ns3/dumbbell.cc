// Ten CUBIC flows over a bottleneck of 1 Gbit/s in ns-3: the network of `benches/tcp.rs` of
// `netloom-sim`. Prints the bytes that arrived.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

int main(int argc, char* argv[])
{
    double seconds = 2;
    uint32_t flows = 10;
    CommandLine cmd;
    cmd.AddValue("seconds", "simulated time", seconds);
    cmd.Parse(argc, argv);

    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpCubic::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4194304));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(6291456));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::DropTailQueue<Packet>::MaxSize", QueueSizeValue(QueueSize("1000p")));

    NodeContainer senders, receivers, routers;
    senders.Create(flows);
    receivers.Create(flows);
    routers.Create(2);
    InternetStackHelper stack;
    stack.InstallAll();

    PointToPointHelper access, bottleneck;
    access.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    access.SetChannelAttribute("Delay", StringValue("10us"));
    bottleneck.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    bottleneck.SetChannelAttribute("Delay", StringValue("5ms"));

    Ipv4AddressHelper addresses;
    TrafficControlHelper none;
    std::vector<Ipv4Address> to;
    auto join = [&](PointToPointHelper& link, Ptr<Node> a, Ptr<Node> b, uint32_t number) {
        NetDeviceContainer devices = link.Install(a, b);
        std::string base = "10.0." + std::to_string(number) + ".0";
        addresses.SetBase(base.c_str(), "255.255.255.0");
        Ipv4InterfaceContainer given = addresses.Assign(devices);
        // The queue of the device alone, as in the simulation beside this one.
        none.Uninstall(devices);
        return given;
    };
    for (uint32_t flow = 0; flow < flows; flow++)
    {
        join(access, senders.Get(flow), routers.Get(0), flow);
    }
    for (uint32_t flow = 0; flow < flows; flow++)
    {
        to.push_back(join(access, receivers.Get(flow), routers.Get(1), flows + flow).GetAddress(0));
    }
    join(bottleneck, routers.Get(0), routers.Get(1), 2 * flows);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    ApplicationContainer sinks;
    for (uint32_t flow = 0; flow < flows; flow++)
    {
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 9));
        sinks.Add(sink.Install(receivers.Get(flow)));
        BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(to[flow], 9));
        bulk.SetAttribute("SendSize", UintegerValue(65536));
        ApplicationContainer sender = bulk.Install(senders.Get(flow));
        sender.Start(MilliSeconds(flow));
    }
    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    uint64_t bytes = 0;
    for (uint32_t flow = 0; flow < flows; flow++)
    {
        bytes += DynamicCast<PacketSink>(sinks.Get(flow))->GetTotalRx();
    }
    std::cout << bytes << std::endl;
    Simulator::Destroy();
    return 0;
}
