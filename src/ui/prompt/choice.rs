//! The agent and the model of a prompt, and the next ones of each.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::options::Options;

/// An agent and its model; none leaves the model to the CLI.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Chosen {
    /// The agent.
    #[serde(default)]
    pub agent: String,
    /// The model.
    pub model: Option<String>,
}

/// What a prompt begins with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Begin {
    /// The agent that was asked for.
    pub agent: Option<String>,
    /// The model that was asked for.
    pub model: Option<String>,
    /// It goes on in a session, which is its agent's own.
    pub has_session: bool,
    /// That of the draft in it.
    pub draft: Option<Chosen>,
    /// That is what the user has chosen in it, as an earlier host knew.
    pub is_again: bool,
    /// What was chosen last in the project.
    pub last: Option<Chosen>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Choice {
    options: Options,
    begin: Begin,
    /// The agents whose programs are there; none while that is not known.
    installed: Option<BTreeSet<String>>,
    /// The models that agents have said to offer.
    offered: BTreeMap<String, Vec<String>>,
    agent: String,
    /// The models that were chosen, by agent.
    picked: BTreeMap<String, Option<String>>,
    /// The user has chosen.
    is_users: bool,
}

impl Choice {
    /// As the prompt begins.
    pub fn new(options: Options, begin: Begin) -> Self {
        let mut choice = Self { options, begin, ..Self::default() };
        choice.settle();
        choice
    }

    /// These agents are installed.
    pub fn learn_installed(&mut self, installed: BTreeSet<String>) {
        self.installed = Some(installed);
        self.settle();
    }

    /// An agent offers these models.
    pub fn learn_models(&mut self, agent: &str, models: &[String]) {
        self.offered.insert(agent.to_owned(), models.to_vec());
        self.settle();
    }

    /// The project's newest job has this agent.
    pub fn learn_newest(&mut self, agent: String) {
        if self.begin.last.is_none() {
            self.begin.last = Some(Chosen { agent, model: None });
            self.settle();
        }
    }

    /// The agent with which it would begin if nothing was chosen before.
    fn first(&self) -> &str {
        self.begin.agent.as_deref().unwrap_or(&self.options.agent)
    }

    /// Begins again with what is known by now, unless the user has chosen.
    fn settle(&mut self) {
        if self.is_users {
            return;
        }
        (self.agent, self.picked) = (self.first().to_owned(), BTreeMap::new());
        let is_free = self.begin.agent.is_none() && self.begin.model.is_none();
        if let Some(last) = self.begin.last.clone().filter(|_| is_free && !self.begin.has_session) {
            self.recall(last);
        }
        if let Some(Chosen { agent, model }) =
            self.begin.draft.clone().filter(|_| is_free || self.begin.is_again)
            && self.options.agents.contains_key(&agent)
        {
            self.pick(agent, model);
        }
    }

    /// Takes what was chosen before, unless the user's options name something else.
    fn recall(&mut self, Chosen { agent, model }: Chosen) {
        let Some(known) = self.options.agents.get(&agent) else { return };
        let is_other = self.options.given_agent.as_ref().is_some_and(|given| *given != agent);
        if is_other || !self.is_installed(&agent) {
            return;
        }
        if known.command.model.is_some() || model.is_none() {
            self.agent = agent;
        } else {
            self.pick(agent, model);
        }
    }

    fn pick(&mut self, agent: String, model: Option<String>) {
        if self.models(&agent).contains(&model) {
            self.picked.insert(agent.clone(), model);
        }
        self.agent = agent;
    }

    fn is_installed(&self, agent: &str) -> bool {
        self.installed.as_ref().is_none_or(|installed| installed.contains(agent))
    }

    /// Those to choose from: the installed ones, and the one that it begins with.
    pub fn agents(&self) -> Vec<&str> {
        let is_one =
            |agent: &&str| *agent == self.first() || !self.begin.has_session && self.is_installed(agent);
        self.options.agents.keys().map(String::as_str).filter(is_one).collect()
    }

    /// The models of an agent, the one that it has without a choice first.
    fn models(&self, agent: &str) -> Vec<Option<String>> {
        let Some(known) = self.options.agents.get(agent) else { return vec![None] };
        let mut models = vec![known.command.model.clone()];
        for model in known.models().chain(self.offered.get(agent).into_iter().flatten()) {
            if !models.iter().any(|there| there.as_ref() == Some(model)) {
                models.push(Some(model.clone()));
            }
        }
        if self.begin.model.is_some() && agent == self.first() {
            models.retain(|model| *model != self.begin.model);
            models.insert(0, self.begin.model.clone());
        }
        models
    }

    /// The agent.
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// What is chosen.
    pub fn chosen(&self) -> Chosen {
        let picked = self.picked.get(&self.agent).cloned();
        let model = picked.unwrap_or_else(|| self.models(&self.agent).swap_remove(0));
        Chosen { agent: self.agent.clone(), model }
    }

    /// Whether any of the agents has another model to go to.
    pub fn has_models(&self) -> bool {
        self.agents().iter().any(|agent| self.models(agent).len() > 1)
    }

    /// Whether agent and model are those that the prompt would begin with if nothing was chosen before.
    pub fn is_untouched(&self) -> bool {
        self.agent == self.first() && self.chosen().model == self.models(&self.agent)[0]
    }

    /// Goes to the next agent. What is the user's choice from then on counts for the next prompt of the project, unless it
    /// is that of a session.
    pub fn next_agent(&mut self) -> Option<Chosen> {
        let next = (*behind(&self.agents(), &self.agent.as_str())).to_owned();
        self.choose(|choice| choice.agent = next)
    }

    /// Goes to the next model.
    pub fn next_model(&mut self) -> Option<Chosen> {
        let Chosen { agent, model } = self.chosen();
        let next = behind(&self.models(&agent), &model).clone();
        self.choose(|choice| _ = choice.picked.insert(agent, next))
    }

    fn choose(&mut self, change: impl FnOnce(&mut Self)) -> Option<Chosen> {
        let before = self.chosen();
        change(self);
        self.is_users |= self.chosen() != before;
        (self.chosen() != before && !self.begin.has_session).then(|| self.chosen())
    }

    /// Both in a few words.
    pub fn words(&self) -> String {
        let Chosen { agent, model } = self.chosen();
        model.map_or_else(|| agent.clone(), |model| format!("{agent} {model}"))
    }
}

/// The one behind a value in a list, which begins anew.
fn behind<'a, T: PartialEq>(list: &'a [T], value: &T) -> &'a T {
    let at = list.iter().position(|one| one == value);
    &list[at.map_or(0, |at| (at + 1) % list.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::sample::options;

    fn chosen(agent: &str, model: Option<&str>) -> Chosen {
        Chosen { agent: agent.to_owned(), model: model.map(str::to_owned) }
    }

    #[test]
    fn what_is_learnt_later_takes_no_choice_of_the_users_away() {
        let mut choice = Choice::new(options(), Begin::default());
        choice.learn_newest("mine".to_owned());
        assert_eq!(choice.words(), "mine a");
        choice.next_model();
        choice.learn_installed(["claude"].map(str::to_owned).into());
        assert_eq!(choice.words(), "mine b");
        let begin = Begin { draft: Some(chosen("claude", Some("opus"))), ..Begin::default() };
        let mut choice = Choice::new(options(), begin);
        choice.learn_newest("mine".to_owned());
        assert_eq!(choice.words(), "claude opus");
    }
}
