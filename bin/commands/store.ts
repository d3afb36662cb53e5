import { join } from "node:path";
import type { StoreCommand } from "../../src/cli/store/store-command.ts";
import { load } from "../../src/cli/with-duet.ts";
import { databaseForm, hidePassword, isDatabaseAddress } from "../../src/config/schema/database-address.ts";
import { describeNotAllowed } from "../../src/core/schemas/describe-issue.ts";
import { DuetError } from "../../src/kit/errors.ts";
import type { Option } from "../options.ts";
import { readOutputFormat, refusedFlagError, toFlags, toOptionText, type Values } from "../read-options.ts";
import { type Action, type CommandRow, type Positional, textOrJson } from "./command.ts";

const url: Positional = {
  name: "url",
  help: {
    zh: "postgres://用户@主机:端口/数据库（store.url 或 duet.db）；密码用 PGPASSWORD 或 ~/.pgpass",
    en: "postgres://user@host:port/database (store.url, or duet.db); the password by PGPASSWORD or ~/.pgpass",
  },
};

const copyOptions: Readonly<Record<string, Option>> = {
  to: {
    type: "string",
    describe: { zh: "把 duet.db 复制到这个空的数据库", en: "copies duet.db into this database, which is empty" },
  },
  from: {
    type: "string",
    describe: {
      zh: "把这个数据库复制到还没有的 duet.db",
      en: "copies this database into a duet.db that is not there yet",
    },
  },
};

export const storeCommand: CommandRow = {
  name: "store",
  help: {
    zh: "对话存储，以及它在 PostgreSQL 里的副本",
    en: "the store of conversations, and copies of it in PostgreSQL",
  },
  commands: [
    {
      name: "status",
      isDefault: true,
      help: {
        zh: "位置、表结构版本和内容；不改动任何东西",
        en: "where it is, its version and content; changes nothing",
      },
      positionals: [url],
      options: textOrJson,
      run: (values) =>
        runStore(values, (command, store, url) => command.showStatus(store, readUrl("url", values.url) ?? url)),
    },
    {
      name: "migrate",
      help: { zh: "建表，或把表结构更新到此版本", en: "makes the tables, or brings them up to date" },
      positionals: [url],
      options: textOrJson,
      run: (values) =>
        runStore(values, (command, store, url) => command.migrateStore(store, readUrl("url", values.url) ?? url)),
    },
    {
      name: "copy",
      help: { zh: "在 duet.db 与 PostgreSQL 之间复制全部内容", en: "copies everything between duet.db and PostgreSQL" },
      options: { ...copyOptions, ...textOrJson },
      run(values) {
        const chosen = readCopy(values);
        return runStore(values, (command, store) => command.copyBetween(store, chosen));
      },
    },
  ],
};

type Command = typeof import("../../src/cli/store/store-command.ts");

/** Does something with a store; `url` is the database that the settings name. */
type StoreWork = (command: Command, store: StoreCommand, url: string | undefined) => Promise<void>;

/** Nothing but the configuration is read before. */
function runStore(values: Values, work: StoreWork): Action {
  return async ({ console }) => {
    const config = await load(toFlags(values), console);
    const command = await import("../../src/cli/store/store-command.ts");
    const { findDatabase, storeFile } = await import("../../src/app/conversations/store-settings.ts");
    const store: StoreCommand = {
      file: join(config.home, storeFile),
      locale: config.locale,
      output: readOutputFormat(values),
      write: (text) => void console.stdout.write(text),
    };
    await work(command, store, findDatabase(config));
    return 0;
  };
}

/** Reads the direction of a copy. Throws a `config` error where both are given, or none. */
function readCopy(values: Values): { url: string; direction: "to" | "from" } {
  const [to, from] = [readUrl("to", values.to), readUrl("from", values.from)];
  if (to !== undefined && from === undefined) return { url: to, direction: "to" };
  if (from !== undefined && to === undefined) return { url: from, direction: "from" };
  throw new DuetError({
    code: "config",
    text: {
      zh: "duet store copy 需要 --to 和 --from 中的一个",
      en: "duet store copy takes one of --to and --from",
    },
  });
}

/** Reads the address of a database. Throws a `config` error for anything else, without its password. */
function readUrl(name: string, value: unknown): string | undefined {
  const text = toOptionText(value);
  if (text === undefined) return undefined;
  if (isDatabaseAddress(text)) return text;
  const shown = JSON.stringify(hidePassword(text));
  if (name !== "url") throw refusedFlagError(name, shown, databaseForm);
  // What looks like no address is taken for a command.
  if (!text.includes(":")) {
    const { zh, en } = describeNotAllowed(shown, {
      zh: `status、migrate、copy，或 ${databaseForm.zh}`,
      en: `status, migrate, copy, or ${databaseForm.en}`,
    });
    throw new DuetError({ code: "config", text: { zh: `store：${zh}`, en: `store: ${en}` } });
  }
  const { zh, en } = describeNotAllowed(shown, databaseForm);
  throw new DuetError({
    code: "config",
    text: { zh: `数据库的地址：${zh}`, en: `the address of the database: ${en}` },
  });
}
