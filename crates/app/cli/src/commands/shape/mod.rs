//! `netloom shape`

mod claims;
mod daemon;
mod file;
mod list;
mod netconfig;
mod show;

use anyhow::Result;
use netloom_shape::Entry;
use netloom_shape::wire::{Done, Renew, Room};

use crate::args::{Shape, ShapeCommand};
use crate::client::Client;
use crate::exit;

/// Carries out a command of `netloom shape`.
pub async fn shape(args: Shape) -> Result<i32> {
    let state = args.state;
    let client = Client::of_shape(&state.join("api.sock"));
    match args.command {
        ShapeCommand::Add(add) => claims::add(&client, &state, *add).await?,
        ShapeCommand::Set(set) => claims::set(&client, set).await?,
        ShapeCommand::Capture(of) => return claims::capture(&client, of).await,
        ShapeCommand::List(of) => return list::list(&client, &of).await,
        ShapeCommand::Renew { name, lifetime } => {
            let path = format!("/claims/{name}/renew");
            let done: Done = client.ask(&path, &Renew { lifetime }).await?;
            println!("{name}: {}", show::end(&done.is));
        }
        ShapeCommand::Remove { name: Some(name), .. } => {
            let _: Done = client.delete(&format!("/claims/{name}")).await?;
            println!("{name}: removed");
        }
        ShapeCommand::Remove { name: None, all, .. } => {
            let ended: Vec<Entry> = client.delete(&format!("/claims?all={all}")).await?;
            println!("{} claims removed", ended.len());
        }
        ShapeCommand::Capacity => show::room(&client.get::<Room>("/capacity").await?),
        ShapeCommand::Log => print!("{}", String::from_utf8_lossy(&client.body("/log").await?)),
        ShapeCommand::Check { file } => {
            let claims = file::read(&file)?;
            println!("{}: {} claims, no errors", file.display(), claims.claims.len());
        }
        ShapeCommand::Apply { file } => file::apply(&client, &file).await?,
        ShapeCommand::Netconfig { words } => netconfig::netconfig(&client, &state, &words).await?,
        ShapeCommand::Serve { policy, records, bears } => {
            return daemon::serve(&state, &policy, &records, bears);
        }
        ShapeCommand::Stop => {
            client.shutdown().await?;
            println!("the daemon ends");
        }
    }
    Ok(exit::SUCCESS)
}
