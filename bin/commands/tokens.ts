import type { Argv } from "yargs";
import { writeLine } from "../../src/cli/console.ts";
import type { NewToken, TokensOptions } from "../../src/cli/tokens/tokens-command.ts";
import { withStore } from "../../src/cli/with-duet.ts";
import { type TokenScope, tokenScopes } from "../../src/core/store/credentials.ts";
import { findPermitProblem } from "../../src/core/tools/tool-pattern.ts";
import { readOutputFormat, refusedFlagError, splitList, toFlags, toOptionText, type Values } from "../options.ts";
import { type Action, type SetAction, textOrJson, toYargsOptions } from "./command.ts";

const createOptions = {
  scope: {
    type: "string",
    describe: "read: only looks; ask: asks and calls tools (the default); operate: is the operator",
    choices: tokenScopes,
  },
  "only-tools": { type: "string", describe: "the tools that it may use, as patterns, separated by commas (all)" },
  owner: { type: "string", describe: "whose conversations and limits it shares (its own: token:NAME)" },
  expires: { type: "string", describe: "after how many days, 1 to 3650, or never (90)" },
} as const;

export function addTokensCommands(it: Argv, setAction: SetAction): Argv {
  return it
    .command(
      ["list", "$0"],
      "by name: scope, expiry, last use",
      (list) => list.options(toYargsOptions(textOrJson)),
      (values) => setAction(runTokens(values, (command, options) => command.listTokens(options))),
    )
    .command(
      "create <name>",
      "makes a token and shows it once; a running server accepts it at once",
      (create) =>
        create
          .positional("name", { type: "string", demandOption: true })
          .options(toYargsOptions({ ...createOptions, ...textOrJson })),
      (values) => {
        const wanted = readNewToken(values);
        setAction(runTokens(values, (command, options) => command.createToken(options, wanted)));
      },
    )
    .command(
      "revoke <name>",
      "ends a token; a running server refuses it from then on",
      (revoke) => revoke.positional("name", { type: "string", demandOption: true }).options(toYargsOptions(textOrJson)),
      (values) => {
        const name = toOptionText(values.name) ?? "";
        setAction(runTokens(values, (command, options) => command.revokeToken(options, name)));
      },
    );
}

type TokensCommand = typeof import("../../src/cli/tokens/tokens-command.ts");

/** Nothing but the store is opened. */
function runTokens(values: Values, work: (command: TokensCommand, options: TokensOptions) => Promise<number>): Action {
  return (context) =>
    withStore(toFlags(values), context, async ({ credentials, config, console }) => {
      const command = await import("../../src/cli/tokens/tokens-command.ts");
      const isKept = config.conversations.store !== "memory";
      const output = readOutputFormat(values);
      const write = (text: string): void => void console.stdout.write(text);
      const tell = (line: string): void => writeLine(console, line);
      return work(command, { tokens: credentials.tokens, isKept, write, tell, locale: config.locale, output });
    });
}

/** Reads what token is wanted. Throws a `config` error for a value that is not allowed. */
export function readNewToken(values: Values): NewToken {
  const scope: TokenScope = tokenScopes.find((known) => known === values.scope) ?? "ask";
  const owner = toOptionText(values.owner);
  if (owner !== undefined && scope === "operate")
    throw refusedFlagError("owner", JSON.stringify(owner), { zh: "operate 不能有", en: "none with operate" });
  if (owner !== undefined && !isName(owner)) throw refusedFlagError("owner", JSON.stringify(owner), nameForm);
  const name = toOptionText(values.name) ?? "";
  if (!isName(name)) throw refusedFlagError("name", JSON.stringify(name), nameForm);
  return { name, scope, owner, tools: readTools(values), days: readDays(values) };
}

/** Names stand in lines of text, in headers and in owners. */
function isName(name: string): boolean {
  return /^[\w.@:+-]{1,100}$/.test(name);
}

const nameForm = {
  zh: "1 到 100 个字母、数字或 _ . @ : + -",
  en: "1 to 100 letters, digits or _ . @ : + -",
};

function readTools(values: Values): readonly string[] | undefined {
  const patterns = splitList(values["only-tools"]);
  for (const pattern of patterns ?? []) {
    const allowed = findPermitProblem(pattern);
    if (allowed !== undefined) throw refusedFlagError("only-tools", JSON.stringify(pattern), allowed);
  }
  return patterns;
}

function readDays(values: Values): number | undefined {
  const written = toOptionText(values.expires) ?? "90";
  if (written === "never") return undefined;
  const days = /^\d{1,4}$/.test(written) ? Number(written) : 0;
  if (days >= 1 && days <= 3650) return days;
  throw refusedFlagError("expires", JSON.stringify(written), {
    zh: "1 到 3650 天，或 never",
    en: "1 to 3650 days, or never",
  });
}
