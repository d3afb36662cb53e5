import { chatOptions, editorOptions, resumeOptions, serveOptions } from "../options.ts";
import { serveEditor } from "./acp.ts";
import { askCommand } from "./ask.ts";
import { chat, resume } from "./chat.ts";
import { doctorCommand, loginCommand, modelsCommand } from "./checks.ts";
import type { CommandRow } from "./command.ts";
import { createCompletionCommand } from "./completion.ts";
import { configCommand } from "./config.ts";
import { conversationsCommand, traceCommand } from "./conversations.ts";
import { evalCommand } from "./eval.ts";
import { installCommand } from "./install.ts";
import { promptsCommand } from "./prompts.ts";
import { startServer } from "./serve.ts";
import { storeCommand } from "./store.ts";
import { tokensCommand } from "./tokens.ts";
import { toolsCommand } from "./tools.ts";

/** Lists the commands in the order in which help shows them. */
export const commandTable: readonly CommandRow[] = [
  {
    name: "chat",
    isDefault: true,
    help: { zh: "终端对话（默认）", en: "terminal chat (the default)" },
    options: chatOptions,
    run: chat,
  },
  {
    name: "resume",
    help: {
      zh: "选择这个文件夹的一个对话继续；给出的词语在标题和问题中查找",
      en: "chooses a conversation of this folder to continue; words are looked for in titles and questions",
    },
    positionals: [{ name: "words", isRepeated: true }],
    options: resumeOptions,
    run: resume,
  },
  askCommand,
  {
    name: "serve",
    help: {
      zh: "MCP 服务器，通过 stdio，或用 --http 通过 HTTP",
      en: "MCP server over stdio, or over HTTP with --http",
    },
    options: serveOptions,
    run: startServer,
  },
  {
    name: "acp",
    help: {
      zh: "编辑器里的智能体（ACP，通过 stdio）",
      en: "an agent for editors (ACP, over stdio)",
    },
    options: editorOptions,
    run: serveEditor,
  },
  toolsCommand,
  conversationsCommand,
  storeCommand,
  tokensCommand,
  configCommand,
  modelsCommand,
  promptsCommand,
  evalCommand,
  traceCommand,
  loginCommand,
  installCommand,
  doctorCommand,
  createCompletionCommand(() => commandTable),
];
