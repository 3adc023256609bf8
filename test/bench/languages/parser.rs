use std::collections::HashMap;

#[derive(Debug, PartialEq)]
pub enum Value {
    Number(f64),
    Text(String),
    List(Vec<Value>),
}

pub struct Parser<'a> {
    input: &'a str,
    position: usize,
}

impl<'a> Parser<'a> {
    pub fn new(input: &'a str) -> Self {
        Parser { input, position: 0 }
    }

    fn peek(&self) -> Option<char> {
        self.input[self.position..].chars().next()
    }

    fn skip_space(&mut self) {
        while let Some(next) = self.peek() {
            if !next.is_whitespace() {
                break;
            }
            self.position += next.len_utf8();
        }
    }

    pub fn value(&mut self) -> Result<Value, String> {
        self.skip_space();
        match self.peek() {
            None => Err("unexpected end".to_string()),
            Some('[') => {
                self.position += 1;
                let mut items = Vec::new();
                loop {
                    self.skip_space();
                    if self.peek() == Some(']') {
                        self.position += 1;
                        return Ok(Value::List(items));
                    }
                    items.push(self.value()?);
                }
            }
            Some(digit) if digit.is_ascii_digit() => self.number(),
            Some(_) => self.text(),
        }
    }
}

pub fn count(words: &[&str]) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for word in words {
        *counts.entry(word.to_string()).or_insert(0) += 1;
    }
    counts
}
