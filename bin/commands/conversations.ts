import { withStore } from "../../src/cli/with-duet.ts";
import { pageOptions, pruneOptions } from "../options.ts";
import {
  readConversationIds,
  readOutputFormat,
  readPage,
  toFlags,
  toOptionText,
  type Values,
} from "../read-options.ts";
import { type Action, type CommandRow, type Positional, textOrJson } from "./command.ts";

const id: Positional = {
  name: "id",
  help: {
    zh: "编号；自动生成的可以只写开头，conv- 后至少 6 个字符",
    en: "the ID; of a generated one, the beginning will do from its first 6 characters behind conv-",
  },
  isRequired: true,
  completes: "conversation",
};
const ids: Positional = { ...id, name: "ids", isRepeated: true };

export const conversationsCommand: CommandRow = {
  name: "conversations",
  help: { zh: "保存的对话", en: "the saved conversations" },
  commands: [
    {
      name: "list",
      isDefault: true,
      help: { zh: "列出对话，最近的在前", en: "lists them, the latest first" },
      options: { ...pageOptions, ...textOrJson },
      run: (values) => runConversations("list", values),
    },
    {
      name: "show",
      help: { zh: "问了什么、答了什么", en: "what was asked and answered" },
      positionals: [id],
      options: textOrJson,
      run: (values) => runConversations("show", values),
    },
    {
      name: "delete",
      help: { zh: "删除对话及其来源和轨迹", en: "removes conversations with their sources and traces" },
      positionals: [ids],
      options: textOrJson,
      run: (values) => runConversations("delete", values),
    },
    {
      name: "pin",
      help: {
        zh: "保留对话，不受 store.keepDays 和 store.maxSize 限制",
        en: "keeps conversations whatever store.keepDays and store.maxSize say",
      },
      positionals: [ids],
      options: textOrJson,
      run: (values) => runConversations("pin", values),
    },
    {
      name: "unpin",
      help: { zh: "取消固定", en: "takes the pins away" },
      positionals: [ids],
      options: textOrJson,
      run: (values) => runConversations("unpin", values),
    },
    {
      name: "name",
      help: {
        zh: '给对话取名，取名后像固定的一样保留；"" 去掉名字',
        en: 'names a conversation, which is then kept like a pinned one; "" takes the name back',
      },
      positionals: [id, { name: "name", isRequired: true }],
      options: textOrJson,
      run: (values) => runConversations("name", values),
    },
    {
      name: "prune",
      help: {
        zh: "现在就删除 store.keepDays 和 store.maxSize 不允许保留的内容",
        en: "removes what store.keepDays and store.maxSize do not allow, now",
      },
      options: { ...pruneOptions, ...textOrJson },
      run: runPrune,
    },
  ],
};

export const traceCommand: CommandRow = {
  name: "trace",
  help: {
    zh: "一次运行的轨迹，逐步显示（默认：最近一次）",
    en: "the trace of a run, step by step (default: the last run)",
  },
  positionals: [{ name: "run" }],
  options: textOrJson,
  run: showTrace,
};

/** Shows the trace of a run; nothing but the store is opened. */
function showTrace(values: Values): Action {
  return (context) =>
    withStore(
      toFlags(values),
      context,
      async ({ store, config: { locale, agent, conversations }, console }) => {
        const { runTrace } = await import("../../src/cli/trace/trace-command.ts");
        const isKept = conversations.store !== "memory";
        const options = { store, isKept, console, locale, output: readOutputFormat(values), verbose: agent.verbose };
        return runTrace(options, toOptionText(values.run));
      },
      { onlyReads: true },
    );
}

/** Removes old conversations now, or lists them; nothing but the store is opened. */
function runPrune(values: Values): Action {
  return (context) =>
    withStore(toFlags(values), context, async ({ retention, config: { locale }, console, signal }) => {
      if (retention === undefined) return 0;
      const { pruneConversations } = await import("../../src/cli/conversations/prune-command.ts");
      const isDryRun = values["dry-run"] === true;
      return pruneConversations({ retention, console, locale, output: readOutputFormat(values), isDryRun, signal });
    });
}

/** Lists, shows or changes conversations; nothing but the store is opened. */
function runConversations(action: "list" | "show" | "delete" | "pin" | "unpin" | "name", values: Values): Action {
  const page = readPage(values);
  const typed = readConversationIds(values);
  return (context) =>
    withStore(
      toFlags(values),
      context,
      async ({ store, config, console }) => {
        const [command, { findConversationId }] = await Promise.all([
          import("../../src/cli/conversations/conversations-command.ts"),
          import("../../src/cli/conversations/find-conversation.ts"),
        ]);
        const isKept = config.conversations.store !== "memory";
        const options = { store, isKept, console, locale: config.locale, output: readOutputFormat(values) };
        if (action === "list") return command.listConversations(options, page);
        // Nothing is changed where one of them may mean several.
        const ids = await Promise.all(typed.map((text) => findConversationId(store, text)));
        const [id = ""] = ids;
        if (action === "show") return command.showConversation(options, id);
        if (action === "name")
          return command.renameConversation(options, { id, name: toOptionText(values.name) ?? "" });
        if (action === "delete") return command.deleteConversations(options, ids);
        return command.pinConversations(options, { ids, isPinned: action === "pin" });
      },
      { onlyReads: action === "list" || action === "show" },
    );
}
