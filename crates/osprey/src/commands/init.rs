//! `osprey init DIR --seed URL...`: writes a commented `osprey.toml`.

use osprey_engine::{InitOptions, Project};

use crate::cli::Init;
use crate::output::Output;

pub(super) fn run(args: &Init, output: &Output) -> anyhow::Result<()> {
    let options = InitOptions {
        seeds: args.seeds.clone(),
        scope: args.scope.into(),
        budget: Some(args.budget),
        time: None,
        policy: args.policy.clone(),
        words: args.words.clone(),
        pages: args.pages.into(),
        tags: args.tags.clone(),
        topics: args.topics.clone(),
        taxonomy: args.taxonomy.clone(),
        genre: args.genre.clone(),
        content: args.content.clone(),
        examples: args.examples.clone(),
        replay: args.replay.clone(),
        base: args.base.clone(),
        contact: args.contact.clone(),
        allow_private: false,
        force: args.force,
    };
    let made = Project::init(&args.dir, &options)?;
    if args.replay.is_none() && args.contact.is_none() {
        output.say("note: put your own address into [fetch] user_agent before you crawl (or give --contact)");
    }
    output.result(&made, || {
        let (config, next) = (made.config.display(), &made.next);
        format!("{config} written; look it over, then: {next}\npolicy {}: {}", made.policy, made.why)
    })
}
