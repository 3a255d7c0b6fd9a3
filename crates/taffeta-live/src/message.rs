//! What pages say: actions of hands, and controls of who looks.

use serde::Deserialize;

use crate::action::Action;

/// The most points of a stroke.
const MOST_RAYS: usize = 256;

/// A message of a page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "say", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Message {
    /// A hand does something.
    Act {
        /// What.
        act: Action,
    },
    /// A hand pins a particle, or unpins it if it is pinned.
    TogglePin {
        /// The particle.
        particle: u32,
    },
    /// A hand cuts along a stroke over the picture: all that is seen along it.
    Stroke {
        /// Where the eye is \[m\].
        eye: [f64; 3],
        /// The directions it saw along, one after another.
        rays: Vec<[f64; 3]>,
    },
    /// Goes on.
    Play,
    /// Stands still.
    Pause,
    /// Makes one frame and stands still.
    Step,
    /// Begins again.
    Restart,
    /// Simulated seconds in a second.
    Speed {
        /// How many.
        value: f64,
    },
    /// Shows a built-in scene.
    Scene {
        /// Its name.
        name: String,
    },
    /// Takes the last thing back that a hand did.
    Undo,
    /// Saves the scene as it is now, and the state.
    SaveState,
    /// Saves what hands did.
    SaveRecording,
    /// Wants the scene's text as it is now.
    CopyScene,
}

impl Message {
    /// Reads a message; any text gives one or says what is wrong.
    pub fn read(text: &str) -> Result<Self, String> {
        let message: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        message.problem().map_or(Ok(message), |problem| Err(problem.into()))
    }

    fn problem(&self) -> Option<&'static str> {
        match self {
            Self::Act { act } => act.problem(),
            Self::Stroke { eye, rays } => {
                let finite = rays.iter().chain([eye]).flatten().all(|x| x.is_finite());
                (!finite || rays.len() < 2 || rays.len() > MOST_RAYS)
                    .then_some("a stroke has 2 to 256 directions, all finite")
            }
            Self::Speed { value } => {
                (!(0.01..=4.0).contains(value)).then_some("speeds are from 0.01 to 4")
            }
            Self::Scene { name } => (name.len() > 200).then_some("no scene has so long a name"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn messages_are_read() {
        let grab = r#"{"say":"act","act":{"do":"grab","particle":3,"radius":0.1,"to":[0,1,2]}}"#;
        let act = Action::Grab { particle: 3, radius: 0.1, to: [0.0, 1.0, 2.0] };
        assert_eq!(Message::read(grab), Ok(Message::Act { act }));
        assert_eq!(Message::read(r#"{"say":"play"}"#), Ok(Message::Play));
    }

    #[test]
    fn rubbish_is_refused() {
        for bad in [
            "",
            "{}",
            "null",
            r#"{"say":"fly"}"#,
            r#"{"say":"speed","value":1e9}"#,
            r#"{"say":"speed","value":0}"#,
            r#"{"say":"act","act":{"do":"drag","to":[0,1e300,2]}}"#,
            r#"{"say":"act","act":{"do":"drag","to":[0,1]}}"#,
            r#"{"say":"act","act":{"do":"limit","value":-1}}"#,
            r#"{"say":"stroke","eye":[0,0,0],"rays":[[0,0,1]]}"#,
            r#"{"say":"act","act":{"do":"grab","particle":-3,"radius":0.1,"to":[0,1,2]}}"#,
            r#"{"say":"act","act":{"do":"pin","particle":1,"extra":2}}"#,
        ] {
            assert!(Message::read(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,200}") {
            let _ = Message::read(&text);
        }

        #[test]
        fn what_is_read_has_finite_numbers(x in any::<f64>(), r in any::<f64>()) {
            let text = format!(
                r#"{{"say":"act","act":{{"do":"grab","particle":1,"radius":{r:?},"to":[{x:?},0,0]}}}}"#
            );
            if let Ok(Message::Act { act: Action::Grab { radius, to, .. } }) = Message::read(&text) {
                prop_assert!(radius > 0.0 && radius <= 1e6 && to[0].abs() <= 1e6);
            }
        }
    }
}
