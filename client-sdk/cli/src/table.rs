//! Tables that are aligned by display width and fit the terminal.

use std::fmt::Write as _;

use anstyle::Style;

use crate::text;

/// The space between columns.
const GAP: usize = 2;
/// The least width of the column that shrinks.
const LEAST: usize = 16;

#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// A cell with text from anywhere, which is cleaned.
    pub(crate) fn new(text: impl AsRef<str>) -> Self {
        Self::styled(text, Style::new())
    }

    pub(crate) fn styled(text: impl AsRef<str>, style: Style) -> Self {
        Self { text: text::clean(text.as_ref()), style }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    title: &'static str,
    is_right: bool,
    /// Whether its cells wrap if the table is too wide.
    wraps: bool,
}

impl Column {
    pub(crate) const fn left(title: &'static str) -> Self {
        Self { title, is_right: false, wraps: false }
    }

    pub(crate) const fn right(title: &'static str) -> Self {
        Self { title, is_right: true, wraps: false }
    }

    pub(crate) const fn wrapped(title: &'static str) -> Self {
        Self { title, is_right: false, wraps: true }
    }
}

/// A table whose rows have as many cells as it has columns.
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
    indent: usize,
}

impl Table {
    pub(crate) fn new(columns: impl Into<Vec<Column>>) -> Self {
        Self { columns: columns.into(), rows: Vec::new(), indent: 0 }
    }

    pub(crate) fn indent(mut self, indent: usize) -> Self {
        self.indent = indent;
        self
    }

    pub(crate) fn row(&mut self, cells: impl Into<Vec<Cell>>) {
        self.rows.push(cells.into());
    }

    /// Removes the columns in which every cell is empty.
    pub(crate) fn drop_empty(&mut self) {
        for column in (0..self.columns.len()).rev() {
            if self.rows.iter().all(|row| row[column].text.is_empty()) {
                self.remove(column);
            }
        }
    }

    fn remove(&mut self, column: usize) {
        self.columns.remove(column);
        for row in &mut self.rows {
            row.remove(column);
        }
    }

    /// Removes a column if the table would be wider than the terminal.
    pub(crate) fn drop_if_narrow(&mut self, column: usize, limit: Option<usize>) {
        if limit.is_some_and(|limit| self.natural().iter().sum::<usize>() + self.space() > limit) {
            self.remove(column);
        }
    }

    /// Removes these columns, one after the other, until the rest fits the terminal.
    pub(crate) fn drop_until_fits(&mut self, titles: &[&str], limit: Option<usize>) {
        for title in titles {
            let least = self.columns.iter().zip(self.natural());
            let least = least.map(|(column, width)| if column.wraps { width.min(LEAST) } else { width });
            if limit.is_none_or(|limit| least.sum::<usize>() + self.space() <= limit) {
                return;
            }
            if let Some(column) = self.columns.iter().position(|column| column.title == *title) {
                self.remove(column);
            }
        }
    }

    /// The table as lines, at most `limit` columns wide if the fixed columns leave room.
    pub(crate) fn render(&self, limit: Option<usize>) -> String {
        let widths = self.widths(limit);
        let mut out = String::new();
        if self.columns.iter().any(|column| !column.title.is_empty()) {
            let style = Style::new().dimmed();
            let titles: Vec<_> = self.columns.iter().map(|column| Cell::styled(column.title, style)).collect();
            self.line(&mut out, &titles, &widths);
        }
        for row in &self.rows {
            let wrapped: Vec<Vec<String>> = row
                .iter()
                .enumerate()
                .map(|(at, cell)| text::wrap_kept(&cell.text, self.room(row, at, &widths, limit)))
                .collect();
            let height = wrapped.iter().map(Vec::len).max().unwrap_or_default();
            for line in 0..height {
                let cells = row.iter().zip(&wrapped).map(|(cell, lines)| Cell {
                    text: lines.get(line).cloned().unwrap_or_default(),
                    style: cell.style,
                });
                self.line(&mut out, &cells.collect::<Vec<_>>(), &widths);
            }
        }
        out
    }

    /// The widths at which nothing wraps.
    fn natural(&self) -> Vec<usize> {
        let mut widths: Vec<_> = self.columns.iter().map(|column| text::width(column.title)).collect();
        for row in &self.rows {
            for (at, (width, cell)) in widths.iter_mut().zip(row).enumerate() {
                if !self.spills(row, at) {
                    *width = (*width).max(text::width(&cell.text));
                }
            }
        }
        widths
    }

    /// Whether a cell may use the space of the cells after it, which are there but empty.
    fn spills(&self, row: &[Cell], at: usize) -> bool {
        self.columns[at].wraps && at + 1 < row.len() && row[at + 1..].iter().all(|cell| cell.text.is_empty())
    }

    /// The columns that a cell may use.
    fn room(&self, row: &[Cell], at: usize, widths: &[usize], limit: Option<usize>) -> usize {
        if self.spills(row, at) {
            let before = self.indent + widths[..at].iter().sum::<usize>() + GAP * at;
            limit.map_or(usize::MAX, |limit| limit.saturating_sub(before).max(widths[at]))
        } else {
            widths[at]
        }
    }

    /// The width of indent and gaps.
    fn space(&self) -> usize {
        self.indent + GAP * self.columns.len().saturating_sub(1)
    }

    fn widths(&self, limit: Option<usize>) -> Vec<usize> {
        let mut widths = self.natural();
        let total = widths.iter().sum::<usize>() + self.space();
        if let (Some(limit), Some(wrapping)) = (limit, self.columns.iter().position(|column| column.wraps)) {
            let over = total.saturating_sub(limit);
            let least = LEAST.min(widths[wrapping]);
            widths[wrapping] = widths[wrapping].saturating_sub(over).max(least);
        }
        widths
    }

    fn line(&self, out: &mut String, cells: &[Cell], widths: &[usize]) {
        let mut pending = self.indent;
        for ((cell, column), width) in cells.iter().zip(&self.columns).zip(widths) {
            let padding = width.saturating_sub(text::width(&cell.text));
            if cell.text.is_empty() {
                pending += padding;
            } else {
                let before = pending + if column.is_right { padding } else { 0 };
                let style = cell.style;
                // Writing to a String cannot fail.
                let _ = write!(out, "{:before$}{style}{}{style:#}", "", cell.text);
                pending = if column.is_right { 0 } else { padding };
            }
            pending += GAP;
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 3]]) -> Table {
        let mut table = Table::new([Column::right("NO"), Column::wrapped("STOP"), Column::left("STAY")]);
        for row in rows {
            table.row(row.map(Cell::new));
        }
        table
    }

    #[test]
    fn columns_are_aligned_by_display_width() {
        let table = table(&[["1", "浅草寺", "45 min"], ["12", "Café", "1 h"]]);
        let plain = anstream::adapter::strip_str(&table.render(None)).to_string();
        assert_eq!(plain, "NO  STOP    STAY\n 1  浅草寺  45 min\n12  Café    1 h\n");
    }

    #[test]
    fn one_column_wraps_to_the_terminal() {
        let table = table(&[["1", "Mosteiro dos Jerónimos de Belém", "45 min"]]);
        let plain = anstream::adapter::strip_str(&table.render(Some(32))).to_string();
        assert_eq!(plain, "NO  STOP                  STAY\n 1  Mosteiro dos          45 min\n    Jerónimos de Belém\n");
        assert!(plain.lines().all(|line| text::width(line) <= 32));
    }

    #[test]
    fn lines_have_no_trailing_spaces_and_cells_no_control_characters() {
        let table = table(&[["1", "a\u{1b}[2J\nb", ""]]);
        let plain = anstream::adapter::strip_str(&table.render(None)).to_string();
        assert_eq!(plain, "NO  STOP  STAY\n 1  a[2J b\n");
    }

    #[test]
    fn a_cell_may_use_the_space_of_empty_ones() {
        let mut table = table(&[["1", "Sé", "45 min"], ["", "walk · 25 min · 1.8 km", ""]]);
        let expected = "NO  STOP  STAY\n 1  Sé    45 min\n    walk · 25 min · 1.8 km\n";
        assert_eq!(anstream::adapter::strip_str(&table.render(Some(40))).to_string(), expected);
        table.row(["2", "Mosteiro dos Jerónimos", "1 h"].map(Cell::new));
        let plain = anstream::adapter::strip_str(&table.render(Some(24))).to_string();
        assert!(plain.lines().all(|line| text::width(line) <= 28), "{plain}");
    }

    #[test]
    fn empty_columns_are_left_out() {
        let mut table = table(&[["1", "a", ""], ["2", "", ""]]);
        table.drop_empty();
        assert_eq!(anstream::adapter::strip_str(&table.render(None)).to_string(), "NO  STOP\n 1  a\n 2\n");
    }

    #[test]
    fn column_is_left_out_of_a_narrow_table() {
        let mut narrow = table(&[["1", "Belém", "45 min"]]);
        narrow.drop_if_narrow(2, Some(12));
        assert!(!narrow.render(Some(12)).contains("45 min"));
        let mut wide = table(&[["1", "Belém", "45 min"]]);
        wide.drop_if_narrow(2, Some(80));
        assert!(wide.render(Some(80)).contains("45 min"));
    }
}
