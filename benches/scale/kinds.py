"""The kinds of cycles: each gets a `Lab`, and ends with nothing left."""


def deployed(lab):
    with lab.scenario() as folder:
        lab.ok("deploy", folder=folder)
        lab.use()
        lab.ok("destroy", lab.name)


def ran(lab):
    with lab.scenario(processes=True) as folder:
        lab.ok("run", "-o", "results", folder=folder)


def run_interrupted(lab):
    with lab.scenario(processes=True) as folder:
        client = lab.start("run", "-o", "results", folder=folder)
        lab.moment(1)
        lab.interrupt(client)


def run_without_client(lab):
    with lab.scenario(processes=True) as folder:
        client = lab.start("run", "-o", "results", folder=folder)
        lab.moment(1)
        lab.kill_client(client)
        lab.tidy()


def run_without_engine(lab):
    with lab.scenario(processes=True) as folder:
        client = lab.start("run", "-o", "results", folder=folder)
        lab.moment(1)
        lab.kill_engine()
        client.wait(60)
        lab.tidy()


def deploy_interrupted(lab):
    with lab.scenario() as folder:
        client = lab.start("deploy", folder=folder)
        lab.moment(0.2)
        lab.interrupt(client)
        lab.tidy()


def deploy_without_client(lab):
    with lab.scenario() as folder:
        client = lab.start("deploy", folder=folder)
        lab.moment(0.2)
        lab.kill_client(client)
        lab.tidy()


def deploy_without_engine(lab):
    with lab.scenario() as folder:
        client = lab.start("deploy", folder=folder)
        lab.moment(0.2)
        lab.kill_engine()
        client.wait(60)
        lab.tidy()


def engine_killed_while_up(lab):
    with lab.scenario() as folder:
        lab.ok("deploy", folder=folder)
        lab.use()
        lab.kill_engine()
        lab.tidy()


def destroy_without_client(lab):
    with lab.scenario() as folder:
        lab.ok("deploy", folder=folder)
        lab.use()
        client = lab.start("destroy", lab.name)
        lab.moment(0.1)
        lab.kill_client(client)
        lab.tidy()


def destroy_without_engine(lab):
    with lab.scenario() as folder:
        lab.ok("deploy", folder=folder)
        lab.use()
        client = lab.start("destroy", lab.name)
        lab.moment(0.1)
        lab.kill_engine()
        client.wait(60)
        lab.tidy()


KINDS = {
    "deployed and destroyed": deployed,
    "run to the end": ran,
    "run, interrupted": run_interrupted,
    "run, client killed": run_without_client,
    "run, engine killed": run_without_engine,
    "deploy, interrupted": deploy_interrupted,
    "deploy, client killed": deploy_without_client,
    "deploy, engine killed": deploy_without_engine,
    "up, engine killed": engine_killed_while_up,
    "destroy, client killed": destroy_without_client,
    "destroy, engine killed": destroy_without_engine,
}
