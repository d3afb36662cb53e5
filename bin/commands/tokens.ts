import { writeLine } from "../../src/cli/console.ts";
import type { NewToken, TokensOptions } from "../../src/cli/tokens/tokens-command.ts";
import { withStore } from "../../src/cli/with-duet.ts";
import { describeNotAllowed } from "../../src/core/schemas/describe-issue.ts";
import { type TokenScope, tokenScopes } from "../../src/core/store/credentials.ts";
import { findPermitProblem } from "../../src/core/tools/tool-pattern.ts";
import { DuetError } from "../../src/kit/errors.ts";
import type { Option } from "../options.ts";
import { readOutputFormat, refusedFlagError, splitList, toFlags, toOptionText, type Values } from "../read-options.ts";
import { type Action, type CommandRow, type Positional, textOrJson } from "./command.ts";

const createOptions: Readonly<Record<string, Option>> = {
  scope: {
    type: "string",
    describe: {
      zh: "read：只查看；ask：提问、调用工具（默认）；operate：等同运行者",
      en: "read: only looks; ask: asks and calls tools (the default); operate: is the operator",
    },
    choices: [...tokenScopes],
  },
  "only-tools": {
    type: "string",
    describe: {
      zh: "可以使用的工具，写成模式，用逗号分隔（全部）",
      en: "the tools that it may use, as patterns, separated by commas (all)",
    },
  },
  owner: {
    type: "string",
    describe: {
      zh: "与谁共用对话和限额（默认自己：token:NAME）",
      en: "whose conversations and limits it shares (its own: token:NAME)",
    },
  },
  expires: {
    type: "string",
    describe: { zh: "多少天后失效，1 到 3650，或 never（90）", en: "after how many days, 1 to 3650, or never (90)" },
  },
};

const name: Positional = { name: "name", isRequired: true };

export const tokensCommand: CommandRow = {
  name: "tokens",
  help: { zh: "程序通过 HTTP 调用时用的令牌", en: "the tokens with which programs call over HTTP" },
  commands: [
    {
      name: "list",
      isDefault: true,
      help: { zh: "按名称列出：权限、到期、最近使用", en: "by name: scope, expiry, last use" },
      options: textOrJson,
      run: (values) => runTokens(values, (command, options) => command.listTokens(options)),
    },
    {
      name: "create",
      help: {
        zh: "生成令牌，只显示一次；正在运行的服务器立即接受",
        en: "makes a token and shows it once; a running server accepts it at once",
      },
      positionals: [name],
      options: { ...createOptions, ...textOrJson },
      run(values) {
        const wanted = readNewToken(values);
        return runTokens(values, (command, options) => command.createToken(options, wanted));
      },
    },
    {
      name: "revoke",
      help: {
        zh: "停用令牌；正在运行的服务器从此拒绝它",
        en: "ends a token; a running server refuses it from then on",
      },
      positionals: [name],
      options: textOrJson,
      run: (values) =>
        runTokens(values, (command, options) => command.endToken(options, toOptionText(values.name) ?? "")),
    },
  ],
};

type TokensCommand = typeof import("../../src/cli/tokens/tokens-command.ts");

/** Nothing but the store is opened. */
function runTokens(values: Values, work: (command: TokensCommand, options: TokensOptions) => Promise<number>): Action {
  return (context) =>
    withStore(toFlags(values), context, async ({ credentials, config, console }) => {
      const command = await import("../../src/cli/tokens/tokens-command.ts");
      const isKept = config.conversations.store !== "memory";
      const output = readOutputFormat(values);
      const write = (text: string): void => void console.stdout.write(text);

      return work(command, {
        tokens: credentials.tokens,
        isKept,
        write,
        writeLine: (line) => writeLine(console, line),
        locale: config.locale,
        output,
      });
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
  if (!isName(name)) throw refusedNameError(name);
  return { name, scope, owner, tools: readTools(values), days: readDays(values) };
}

function refusedNameError(name: string): DuetError {
  const { zh, en } = describeNotAllowed(JSON.stringify(name), nameForm);
  return new DuetError({ code: "config", text: { zh: `令牌的名称：${zh}`, en: `the name of the token: ${en}` } });
}

/** Is the name that `serve.modelApi.trustedKeys` has for the operator's own token. */
const operatorKey = "DUET_HTTP_TOKEN";

/** Names stand in lines of text, in headers and in owners. */
function isName(name: string): boolean {
  return /^[\w.@:+-]{1,100}$/.test(name) && name !== operatorKey;
}

const nameForm = {
  zh: "1 到 100 个字母、数字或 _ . @ : + -，且不是 DUET_HTTP_TOKEN",
  en: "1 to 100 letters, digits or _ . @ : + -, and not DUET_HTTP_TOKEN",
};

function readTools(values: Values): readonly string[] | undefined {
  const patterns = splitList(values["only-tools"]);
  if (patterns?.length === 0)
    throw refusedFlagError("only-tools", JSON.stringify(values["only-tools"]), {
      zh: "工具的名称或模式，如 docs__*；省略则可用全部工具",
      en: "names or patterns of tools, such as docs__*; all tools without the flag",
    });
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
