//! The programs that a line of a shell starts, as far as one can read that from the line: words in
//! the place of a command. What variables, quotes and `eval` make of it is not followed.

/// Words after which a command comes.
const BEFORE_A_COMMAND: &[&str] =
    &["!", "if", "then", "elif", "else", "while", "until", "do", "{", "exec", "command", "time"];

/// Commands of the shell itself, and words that no command follows.
const SHELL: &[&str] = &[
    ".", ":", "[", "alias", "bg", "break", "case", "cd", "continue", "done", "echo", "esac",
    "eval", "exit", "export", "false", "fg", "fi", "for", "getopts", "hash", "in", "jobs", "kill",
    "local", "printf", "pwd", "read", "readonly", "return", "set", "shift", "test", "times",
    "trap", "true", "type", "ulimit", "umask", "unset", "wait",
];

/// Returns the programs of a line, each once, in the order of the line.
pub fn programs(line: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut comes_command = true;
    for token in tokens(line) {
        match token {
            Token::Operator => comes_command = true,
            Token::Word(_) if !comes_command => {}
            Token::Word(word) => {
                let is_assignment = word.split_once('=').is_some_and(|(name, _)| is_name(name));
                if is_assignment || BEFORE_A_COMMAND.contains(&word.as_str()) {
                    continue;
                }
                comes_command = false;
                let is_plain = word.chars().all(|c| c.is_alphanumeric() || "._-+/@".contains(c));
                let is_new = !found.contains(&word);
                if is_plain && is_new && !SHELL.contains(&word.as_str()) {
                    found.push(word);
                }
            }
        }
    }
    found
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

enum Token {
    Word(String),
    /// Something after which a command comes.
    Operator,
}

/// Splits a line. Quoted parts of words are kept as one character that no program has.
fn tokens(line: &str) -> Vec<Token> {
    const QUOTED: char = '"';
    let mut tokens = Vec::new();
    let mut word = String::new();
    let end = |word: &mut String, tokens: &mut Vec<Token>| {
        if !word.is_empty() {
            tokens.push(Token::Word(std::mem::take(word)));
        }
    };
    let mut rest = line.chars().peekable();
    while let Some(next) = rest.next() {
        match next {
            '\\' => word.extend(rest.next()),
            '\'' => {
                rest.by_ref().find(|c| *c == '\'');
                word.push(QUOTED);
            }
            '"' => {
                skip_double_quotes(&mut rest);
                word.push(QUOTED);
            }
            '#' if word.is_empty() => {
                rest.by_ref().find(|c| *c == '\n');
                tokens.push(Token::Operator);
            }
            // Numbers and names of files belong to redirections.
            '<' | '>' => {
                word.clear();
                while rest.next_if(|c| "<>&| ".contains(*c)).is_some() {}
                while rest.next_if(|c| !c.is_whitespace() && !";|&()".contains(*c)).is_some() {}
            }
            ';' | '|' | '&' | '\n' | '`' => {
                end(&mut word, &mut tokens);
                tokens.push(Token::Operator);
            }
            '(' => {
                // A word before it is a function's name, or the `$` of a substitution.
                word.clear();
                tokens.push(Token::Operator);
            }
            ')' => {
                end(&mut word, &mut tokens);
                tokens.push(Token::Operator);
            }
            c if c.is_whitespace() => end(&mut word, &mut tokens),
            c => word.push(c),
        }
    }
    end(&mut word, &mut tokens);
    tokens
}

fn skip_double_quotes(rest: &mut impl Iterator<Item = char>) {
    while let Some(next) = rest.next() {
        match next {
            '"' => return,
            '\\' => {
                rest.next();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::programs;

    #[test]
    fn programs_are_words_in_the_place_of_a_command() {
        let cases: [(&str, &[&str]); 10] = [
            ("ping -n -c 1 -W 2 10.7.0.1 && ip -4 address show dev eth1", &["ping", "ip"]),
            ("! ip -4 address show dev eth1 | grep inet", &["ip", "grep"]),
            (
                "until ip address | grep -q 'inet 10\\.7'; do sleep 0.1; done",
                &["ip", "grep", "sleep"],
            ),
            ("LC_ALL=C iperf3 -s >log 2>&1 &", &["iperf3"]),
            ("echo hello; cd /tmp; exec ./server --port 80", &["./server"]),
            ("x=$(date +%s); echo \"$(uname)\" | wc -l", &["date", "wc"]),
            ("for i in 1 2 3; do curl http://a/$i; done", &["curl"]),
            ("$PROGRAM a; \"my program\" b", &[]),
            ("nft add rule ip home out oifname wan masquerade", &["nft"]),
            ("# nothing here\ntc qdisc show", &["tc"]),
        ];
        for (line, expected) in cases {
            assert_eq!(programs(line), expected, "{line}");
        }
    }
}
