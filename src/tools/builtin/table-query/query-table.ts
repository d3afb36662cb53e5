// Loads the parsers of all formats: whoever needs this file imports it when first needed.
import { showValue } from "../../../core/tools/argument-feedback.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { formatCount } from "../../../kit/text/format-count.ts";
import { sanitize } from "../../../kit/text/sanitize.ts";
import { truncate } from "../../../kit/text/truncate.ts";
import type { Fraction } from "../calculator/fraction.ts";
import { unreadableDataError } from "../format-data/content.ts";
import { writeMarkdown } from "../format-data/markdown.ts";
import {
  type Aggregate,
  type AggregateValue,
  type Aggregator,
  createAggregator,
  describeNumbers,
} from "./aggregate.ts";
import { describeSpans } from "./date-spans.ts";
import { createFields, type Field, type Fields, type Row } from "./fields.ts";
import { type Condition, filterRows } from "./filter-rows.ts";
import { readRows, type TableSource } from "./read-rows.ts";
import { type Line, readSort, type SortKey, sortLines } from "./sort-lines.ts";

export interface TableQuery extends TableSource {
  where: readonly Condition[];
  groupBy: readonly string[];
  aggregate: readonly Aggregate[];
  /** Names the columns to show when rows are listed. All are shown when it is empty. */
  columns: readonly string[];
  sort: readonly string[];
  limit: number;
  locale: Locale;
}

export interface TableAnswer {
  /** Tells how many rows were read, matched and are shown. */
  counts: string;
  table: string;
  /** Holds totals over all matched rows, and what was assumed or left out. */
  notes: string[];
}

/** Answers a query over the rows of a table. Throws a `DuetError` that says what is wrong with the data or the query. */
export function answerQuery(query: TableQuery): TableAnswer {
  const { locale } = query;
  const { table, notes } = readRows(query);
  const fields = createFields(table);
  // Checks all names before any work, so that none is missed where no row matches.
  for (const name of [...query.groupBy, ...query.columns]) fields.find(name);
  const matched = filterRows(table.rows, query.where, fields);
  const isGrouped = query.groupBy.length > 0 || query.aggregate.length > 0;
  const answer = isGrouped ? answerGroups(query, matched.rows, fields) : answerRows(query, matched.rows, fields);
  const { names, lines, kind } = answer;
  const shown = lines.slice(0, query.limit);
  const counts = describeCounts(table.rows.length, matched.rows.length, lines.length, shown.length, kind);
  const cells = shown.map((line) => line.cells.map((cell) => truncate(sanitize(cell), 200)));
  return {
    counts: say(locale, counts),
    table: shown.length === 0 ? "" : writeMarkdown({ columns: names.map((name) => sanitize(name)), rows: cells }),
    notes: [...answer.notes, ...matched.notes, ...fields.notes, ...notes].slice(0, 20).map((note) => say(locale, note)),
  };
}

interface Answer {
  names: string[];
  lines: Line[];
  kind: "rows" | "groups" | "totals";
  notes: Text[];
}

function answerRows({ columns, sort, locale }: TableQuery, rows: readonly Row[], fields: Fields): Answer {
  const shown = (columns.length > 0 ? columns : fields.columns).map((name) => fields.find(name));
  const keys = sort.map((text) => readSort(text, (name) => fields.find(name)));
  const order: SortKey[] = keys.map(({ isDescending }, index) => ({ index, isDescending }));
  const lines = rows.map(
    (row): Line => ({
      cells: shown.map((field) => showText(field, field.readText(row), locale)),
      keys: keys.map(({ found }) => toKey(found, row)),
    }),
  );
  return { names: shown.map(({ name }) => name), lines: sortLines(lines, order, locale), kind: "rows", notes: [] };
}

function answerGroups(query: TableQuery, rows: readonly Row[], fields: Fields): Answer {
  const { groupBy, locale } = query;
  const aggregate: readonly Aggregate[] =
    query.aggregate.length > 0 ? query.aggregate : [{ op: "count", column: undefined }];
  const by = groupBy.map((name) => fields.find(name));
  const aggregators = aggregate.map((each) => createAggregator(each, rows, fields));
  const names = [...by.map(({ name }) => name), ...aggregators.map(({ label }) => label)];
  const order = readGroupOrder(query.sort, names, by.length);
  const groups = groupRows(rows, by);
  let isRounded = false;
  const lines = groups.map(({ texts, keys, members }): Line => {
    const values = aggregators.map(({ compute }) => compute(members));
    isRounded ||= values.some((value) => value.isRounded);
    return {
      cells: [
        ...by.map((field, index) => showText(field, texts[index] ?? "", locale) || showNothing(field, locale)),
        ...values.map(({ shown }) => shown),
      ],
      keys: [...keys, ...values.map(({ key }) => key)],
    };
  });
  const totals = by.length > 0 && lines.length > 1 ? aggregators.map(({ compute }) => compute(rows)) : [];
  isRounded ||= totals.some((value) => value.isRounded);
  const used = [...by, ...query.where.map(({ column }) => fields.find(column))];
  const notes = [
    ...(totals.length > 0 ? [describeTotals(aggregators, totals, rows.length)] : []),
    ...describeSpans({ by, used, fields }, rows),
    ...(isRounded
      ? [{ zh: "除不尽的数四舍五入到 6 位小数", en: "Numbers that do not end are rounded to 6 decimals." }]
      : []),
    ...describeNumbers(aggregate, rows, fields),
    ...describeDateless(by, rows),
  ];
  return { names, lines: sortLines(lines, order, locale), kind: by.length > 0 ? "groups" : "totals", notes };
}

interface Group {
  texts: string[];
  keys: (Fraction | string | undefined)[];
  members: Row[];
}

/** Without columns to group by, all rows are one group, also when there are none. */
function groupRows(rows: readonly Row[], by: readonly Field[]): Group[] {
  if (by.length === 0) return [{ texts: [], keys: [], members: [...rows] }];
  const readTexts = (row: Row): string[] => by.map((field) => field.readText(row));
  const groups = Map.groupBy(rows, (row) => JSON.stringify(readTexts(row)));
  return [...groups.values()].map((members) => {
    const [first = []] = members;
    return { texts: readTexts(first), keys: by.map((field) => toKey(field, first)), members };
  });
}

/** Returns what a cell is sorted by: its number, its date, or its text. */
function toKey(field: Field, row: Row): Fraction | string | undefined {
  const text = field.readText(row);
  if (text === "" || field.part !== undefined) return text || undefined;
  const date = /\d/.test(text) ? field.readDate(row) : undefined;
  return field.readNumber(row)?.value ?? date?.map((each) => String(each).padStart(4, "0")).join("-") ?? text;
}

/** Groups stand in their own order unless another is asked for. */
function readGroupOrder(sort: readonly string[], names: readonly string[], own: number): SortKey[] {
  const asked = sort.map((text): SortKey => {
    const { found, isDescending } = readSort(text, (name) => {
      const simple = normalizeLabel(name);
      const exact = names.findIndex((each) => normalizeLabel(each) === simple);
      // The column alone means what was computed of it, if that is one thing.
      const inner = names.flatMap((each, index) => (normalizeLabel(each).endsWith(`(${simple})`) ? [index] : []));
      const [only = -1] = inner;
      const index = exact < 0 && inner.length === 1 ? only : exact;
      if (index < 0) throw unknownSortError(name, names);
      return index;
    });
    return { index: found, isDescending };
  });
  const rest = Array.from({ length: own }, (_, index): SortKey => ({ index, isDescending: false }));
  return [...asked, ...rest];
}

/** Returns a label such as `sum(amount)` without what makes no difference: case, width, blanks, and the two names of a mean. */
function normalizeLabel(label: string): string {
  return label
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\s/g, "")
    .replace(/^mean\(/, "avg(");
}

function showText(field: Field, text: string, locale: Locale): string {
  if (field.part !== "weekday" || text === "") return text;
  // 2024 began with a Monday.
  const day = new Date(Date.UTC(2024, 0, Number(text)));
  return new Intl.DateTimeFormat(locale === "zh" ? "zh-CN" : "en", { weekday: "long", timeZone: "UTC" }).format(day);
}

function showNothing({ part }: Field, locale: Locale): string {
  return say(locale, part === undefined ? { zh: "（空）", en: "(empty)" } : { zh: "（无日期）", en: "(no date)" });
}

function describeTotals(aggregators: readonly Aggregator[], totals: readonly AggregateValue[], rows: number): Text {
  const list = totals.map(({ shown }, index) => `${aggregators[index]?.label} = ${shown}`).join(", ");
  return {
    zh: `全部 ${rows} 个符合的行：${list}`,
    en: `All ${formatCount(rows, "matched row")}: ${list}`,
  };
}

function describeDateless(by: readonly Field[], rows: readonly Row[]): Text[] {
  return by.flatMap((field) => {
    const count = field.part === undefined ? 0 : rows.filter((row) => field.readText(row) === "").length;
    if (count === 0) return [];
    const zh = `${rows.length} 行中有 ${count} 行没有 ${field.name}`;
    return [
      { zh, en: `${count} of ${formatCount(rows.length, "row")} ${count === 1 ? "has" : "have"} no ${field.name}.` },
    ];
  });
}

function describeCounts(read: number, matched: number, lines: number, shown: number, kind: Answer["kind"]): Text {
  const zh = `读取 ${read} 行，符合 ${matched} 行`;
  const en = `${formatCount(read, "row")} read, ${matched} matched`;
  if (kind === "totals" || lines === 0) return { zh, en };
  const of = { zh: kind === "rows" ? "行" : "组", en: kind === "rows" ? "row" : "group" };
  if (lines === 1) return { zh: `${zh}，显示 1 ${of.zh}`, en: `${en}; 1 ${of.en} shown` };
  if (shown === lines) return { zh: `${zh}，显示全部 ${lines} ${of.zh}`, en: `${en}; all ${lines} ${of.en}s shown` };
  return {
    zh: `${zh}，只显示 ${lines} ${of.zh}中的前 ${shown} ${of.zh}（limit 可改）`,
    en: `${en}; only the first ${shown === 1 ? "" : `${shown} `}of ${formatCount(lines, of.en)} shown (see limit)`,
  };
}

function unknownSortError(name: string, names: readonly string[]): Error {
  return unreadableDataError(
    `不能按 ${showValue(name)} 排序（可用：${names.join("、")}）`,
    `The groups cannot be sorted by ${showValue(name)} (available: ${names.join(", ")}).`,
  );
}
