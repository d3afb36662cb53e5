import { type Locale, say, type Text } from "../../kit/locale.ts";
import { formatCount, formatSize } from "../../kit/text/format-count.ts";
import { sanitizeLine, toSafeJson } from "../../kit/text/sanitize.ts";
import { copyStore } from "../../store/copy/copy-store.ts";
import { openPostgresRows } from "../../store/copy/postgres-rows.ts";
import { openSqliteSource, openSqliteTarget } from "../../store/copy/sqlite-rows.ts";
import {
  migrateDatabaseAt,
  migrateFile,
  readDatabaseStatus,
  readFileStatus,
  type StoreStatus,
} from "../../store/copy/store-status.ts";

export interface StoreCommand {
  /** Is the SQLite file of this `DUET_HOME`. */
  file: string;
  locale: Locale;
  output: "text" | "json";
  /** Writes text to stdout. */
  write(text: string): void;
}

/** Says what the file holds, or the database at the address. */
export async function showStatus(
  { file, locale, output, write }: StoreCommand,
  url: string | undefined,
): Promise<void> {
  const status = url === undefined ? readFileStatus(file) : await readDatabaseStatus(url);
  if (output === "json") write(`${toSafeJson(toStatusJson(status), 2)}\n`);
  else for (const line of describeStatus(status)) write(`${sanitizeLine(say(locale, line))}\n`);
}

/** Updates the tables of the file, or of the database at the address. */
export async function migrateStore(
  { file, locale, output, write }: StoreCommand,
  url: string | undefined,
): Promise<void> {
  const { before, after } = url === undefined ? migrateFile(file) : await migrateDatabaseAt(url);
  const line =
    before === after
      ? { zh: `表结构已是版本 ${after}`, en: `the tables have version ${after} already` }
      : { zh: `表结构：版本 ${before} → ${after}`, en: `the tables went from version ${before} to ${after}` };
  if (output === "json") write(`${toSafeJson({ version_before: before, version: after }, 2)}\n`);
  else write(`${say(locale, line)}\n`);
}

/** Copies everything between the file and a database. The target must be empty. */
export async function copyBetween(
  { file, locale, output, write }: StoreCommand,
  { url, direction }: { url: string; direction: "to" | "from" },
): Promise<void> {
  const from = direction === "to" ? openSqliteSource(file) : await openPostgresRows(url, "read");
  try {
    const to = direction === "to" ? await openPostgresRows(url, "write") : openSqliteTarget(file);
    try {
      const counts = await copyStore(from, to);
      const rows = counts.reduce((sum, each) => sum + each.rows, 0);
      const line = {
        zh: `已从 ${from.place} 复制 ${rows} 行到 ${to.place}`,
        en: `copied ${formatCount(rows, "row")} from ${from.place} to ${to.place}`,
      };
      const tables = Object.fromEntries(counts.map(({ table, rows: n }) => [table, n]));
      if (output === "json") write(`${toSafeJson({ from: from.place, to: to.place, rows, tables }, 2)}\n`);
      else write(`${sanitizeLine(say(locale, line))}\n`);
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

function describeStatus({ place, version, supported, content }: StoreStatus): Text[] {
  const tables: Text =
    version === 0
      ? { zh: "还没有表", en: "no tables yet" }
      : {
          zh: `表结构版本 ${version}（此版本支持 ${supported}）`,
          en: `tables of version ${version} (this Duet: ${supported})`,
        };
  const lines = [{ zh: place, en: place }, tables];
  if (content === undefined) return lines;
  const { conversations, turns, goingRuns, newerRuns, sharedRecords, bytes } = content;
  const size = formatSize(bytes);
  return [
    ...lines,
    {
      zh: `${conversations} 个对话，${turns} 轮，${goingRuns} 个未结束的运行，${sharedRecords} 条共享记录，${size}`,
      en: `${formatCount(conversations, "conversation")}, ${formatCount(turns, "turn")}, ${formatCount(goingRuns, "unfinished run")}, ${formatCount(sharedRecords, "shared record")}, ${size}`,
    },
    ...(newerRuns > 0 ? [describeNewer(newerRuns)] : []),
  ];
}

function describeNewer(count: number): Text {
  return {
    zh: `其中 ${count} 个未结束的运行只有更新版本的 Duet 能读取`,
    en: `of the unfinished runs ${count} can be read by a newer Duet only`,
  };
}

function toStatusJson({ place, version, supported, content }: StoreStatus) {
  return {
    ...{ place, version, supported_version: supported },
    conversations: content?.conversations ?? null,
    turns: content?.turns ?? null,
    unended_runs: content?.goingRuns ?? null,
    unreadable_runs: content?.newerRuns ?? null,
    shared_records: content?.sharedRecords ?? null,
    bytes: content?.bytes ?? null,
  };
}
