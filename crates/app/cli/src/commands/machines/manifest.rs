//! `netloom machines manifest`: a StatefulSet of Kubernetes whose pods are the machines of a list.

use anyhow::Result;
use netloom_placement::{MemberMachine, START};

use crate::args::Manifest;
use crate::{exit, placing};

/// What a start command needs to lead into a pod.
const COMMAND: &str = "kubectl exec -i {address} -- {netloom} __member";

/// Prints the manifest.
pub fn manifest(args: &Manifest) -> Result<i32> {
    let machines = placing::standing_machines(&args.machines)?;
    let name = set_name(&machines.list).map_err(exit::usage)?;
    print!("{}", text(name, machines.list.len(), &args.image));
    if machines.start.as_deref() == Some(START) {
        note!("note: the list starts members by ssh; write `start: {{command: \"{COMMAND}\"}}`");
    }
    if machines.list.iter().any(|machine| machine.frames.is_none()) {
        note!(
            "note: `frames` of each machine is the IP address of its pod, which `kubectl get pods \
             -o wide` shows once it runs"
        );
    }
    Ok(exit::SUCCESS)
}

/// Returns the name of the set whose pods are the machines, in order.
fn set_name(machines: &[MemberMachine]) -> Result<&str, String> {
    let mut set = None;
    for (number, machine) in machines.iter().enumerate() {
        let address = machine.address.as_deref().unwrap_or_default();
        let name = address.strip_suffix(&format!("-{number}")).filter(|name| is_label(name));
        if name.is_none() || set.is_some_and(|set| name != Some(set)) {
            let set = set.unwrap_or("netloom");
            return Err(format!(
                "machine `{}` cannot be pod {number} of a StatefulSet: its address is `{address}`; \
                 write `{set}-{number}`",
                machine.name
            ));
        }
        set = name;
    }
    set.ok_or_else(|| "the list has no machines".into())
}

/// Whether a name is one of Kubernetes (RFC 1123), with room for the number of a pod.
fn is_label(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let inside = name.chars().all(|c| is_plain(c) || c == '-');
    inside && name.starts_with(is_plain) && name.ends_with(is_plain) && name.len() <= 52
}

/// Returns the manifest. Each pod has a machine of the cluster to itself, and no limit of CPU: one
/// that is throttled stands still.
fn text(name: &str, count: usize, image: &str) -> String {
    // A JSON string is one of YAML.
    let image = serde_json::Value::from(image);
    format!(
        "\
apiVersion: apps/v1
kind: StatefulSet
metadata: {{ name: {name} }}
spec:
  serviceName: {name}
  replicas: {count}
  podManagementPolicy: Parallel
  selector: {{ matchLabels: {{ app: {name} }} }}
  template:
    metadata: {{ labels: {{ app: {name} }} }}
    spec:
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - labelSelector: {{ matchLabels: {{ app: {name} }} }}
              topologyKey: kubernetes.io/hostname
      containers:
        - name: member
          image: {image}
          command: [sleep, infinity]
          securityContext: {{ privileged: true }}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(addresses: &[&str]) -> Vec<MemberMachine> {
        let machine = |address: &&str| MemberMachine {
            address: Some((*address).to_owned()),
            ..MemberMachine::named("m")
        };
        addresses.iter().map(machine).collect()
    }

    #[test]
    fn pods_of_one_set_are_machines_in_order() {
        assert_eq!(set_name(&list(&["lab-0", "lab-1"])), Ok("lab"));
        for (wrong, help) in [
            (["lab-0", "lab-2"], "write `lab-1`"),
            (["lab-0", "other-1"], "write `lab-1`"),
            (["ann@10.0.0.1", "lab-1"], "write `netloom-0`"),
            (["Lab-0", "Lab-1"], "write `netloom-0`"),
        ] {
            let error = set_name(&list(&wrong)).unwrap_err();
            assert!(error.ends_with(help), "{error}");
        }
    }

    #[test]
    fn the_image_is_one_string_of_the_manifest() {
        let text = text("lab", 3, "registry/lab: x");
        assert!(text.contains("image: \"registry/lab: x\"\n") && text.contains("replicas: 3\n"));
    }
}
