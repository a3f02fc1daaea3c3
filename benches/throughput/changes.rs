pub fn run(_: std::time::Duration) {}
