//! A position in a text that moves over white space, comments and tokens.

/// A position in a text, and the comments before it.
pub(super) struct Cursor<'a> {
    text: &'a str,
    /// Offset in bytes.
    pub at: usize,
    /// Comments, each from its `#` to the end of its line.
    pub comments: Vec<(usize, usize)>,
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0, comments: Vec::new() }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Returns the rest of the line.
    pub fn line(&self) -> &'a str {
        self.rest().split(['\n', '\r']).next().unwrap_or_default()
    }

    /// Whether `token` comes next.
    pub fn is_at(&self, token: &str) -> bool {
        self.rest().starts_with(token)
    }

    /// Whether the character that comes next stands alone.
    pub fn is_indicator(&self) -> bool {
        self.rest().chars().nth(1).is_none_or(char::is_whitespace)
    }

    /// Moves over `token` if it comes next.
    pub fn take(&mut self, token: &str) -> bool {
        let is_there = self.is_at(token);
        self.at += if is_there { token.len() } else { 0 };
        is_there
    }

    /// Moves over white space and comments.
    pub fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{feff}']);
            self.at += rest.len() - blank.len();
            if !blank.starts_with('#') {
                return;
            }
            self.comment();
        }
    }

    fn comment(&mut self) {
        let length = self.line().len();
        self.comments.push((self.at, self.at + length));
        self.at += length;
    }

    /// Moves over white space, comments and commas.
    pub fn skip_commas(&mut self) {
        self.skip();
        while self.take(",") {
            self.skip();
        }
    }

    /// Moves over what may stand before the value of a document: directives, and `---`.
    pub fn skip_head(&mut self) {
        let start = self.mark();
        self.skip();
        while self.is_at("%") {
            self.at += self.line().len();
            self.skip();
        }
        if !self.is_at("---") || self.rest()[3..].starts_with(|c: char| !c.is_whitespace()) {
            self.back_to(start);
            return;
        }
        self.at += 3;
    }

    /// Records the comment in the header of a block scalar, at the start of which the cursor is.
    pub fn header_comment(&mut self) {
        let line = self.line();
        if let Some(hash) = line.find(" #").or_else(|| line.find("\t#")) {
            self.comments.push((self.at + hash + 1, self.at + line.len()));
        }
    }

    /// Moves over an anchor, a tag or an alias, which begins with `sign`. Returns its name.
    pub fn name(&mut self, sign: char) -> Option<String> {
        let rest = self.rest().strip_prefix(sign)?;
        let is_end = |c: char| c.is_whitespace() || ",[]{}".contains(c);
        let length = rest.find(is_end).unwrap_or(rest.len());
        self.at += sign.len_utf8() + length;
        Some(rest[..length].to_owned())
    }

    /// Moves over a scalar in single quotes.
    pub fn single_quoted(&mut self) -> Option<()> {
        self.take("'").then_some(())?;
        loop {
            self.at += self.rest().find('\'')? + 1;
            if !self.take("'") {
                return Some(());
            }
        }
    }

    /// Moves over a scalar in double quotes.
    pub fn double_quoted(&mut self) -> Option<()> {
        self.take("\"").then_some(())?;
        loop {
            let at = self.rest().find(['"', '\\'])?;
            let is_end = self.rest()[at..].starts_with('"');
            self.at += at + 1;
            if is_end {
                return Some(());
            }
            self.at += self.rest().chars().next()?.len_utf8();
        }
    }

    /// Moves to `end`, the end of a scalar, but not over white space before it. With `keeps`, line
    /// breaks at the end belong to the scalar, except for the last one.
    pub fn go_to(&mut self, end: usize, keeps: bool) -> Option<()> {
        let scalar = self.text.get(self.at..end)?;
        let length = if keeps {
            let kept = scalar.trim_end_matches([' ', '\t']);
            kept.strip_suffix('\n').map_or(kept, |kept| kept.trim_end_matches('\r')).len()
        } else {
            scalar.trim_end_matches([' ', '\t', '\n', '\r']).len()
        };
        self.at += length;
        Some(())
    }

    /// Returns a state to go back to.
    pub fn mark(&self) -> (usize, usize) {
        (self.at, self.comments.len())
    }

    /// Goes back to a state.
    pub fn back_to(&mut self, (at, comments): (usize, usize)) {
        self.at = at;
        self.comments.truncate(comments);
    }
}
