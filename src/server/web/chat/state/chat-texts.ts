import type { Text } from "../../../../kit/locale.ts";
import type { ModelKey, ParameterName, SearchReason } from "../api/server-settings.ts";

/** Holds all texts of the chat page that do not belong to a run. */
export const chatTexts = {
  message: { zh: "输入问题", en: "Your question" },
  send: { zh: "发送", en: "Send" },
  stop: { zh: "停止", en: "Stop" },
  stopping: { zh: "正在停止…", en: "Stopping…" },
  notStopped: { zh: "未能停止：", en: "Not stopped: " },
  skip: { zh: "跳到输入框", en: "Skip to the message" },
  yourQuestion: { zh: "你的问题", en: "Your question" },
  talk: { zh: "对话内容", en: "The conversation" },
  toEnd: { zh: "跳到最新", en: "Jump to the latest" },
  runGoes: {
    zh: "一次运行正在进行：命令要等它结束，或按 Esc 停止它。",
    en: "A run is in progress: commands wait for its end; Esc stops it.",
  },
  notBegun: {
    zh: "这次运行刚刚开始，请稍候再发送。",
    en: "The run is just beginning; send this in a moment.",
  },
  goOn: { zh: "从这里继续", en: "Go on from here" },
  keep: { zh: "保留对话历史", en: "Carry the history over" },
  tryAgain: { zh: "重试", en: "Try again" },
  tryInChat: { zh: "在 Chat 模式下重试", en: "Try again in Chat mode" },
  showAll: { zh: "显示全部", en: "Show all" },
  showLess: { zh: "收起", en: "Show less" },
  newChat: { zh: "新对话", en: "New conversation" },
  conversations: { zh: "对话", en: "Conversations" },
  openSide: { zh: "打开对话列表", en: "Open the conversations" },
  closeSide: { zh: "关闭对话列表", en: "Close the conversations" },
  more: { zh: "更多", en: "More" },
  noConversations: { zh: "还没有对话。", en: "No conversations yet." },
  untitled: { zh: "（无标题）", en: "(untitled)" },
  remove: { zh: "删除", en: "Delete" },
  cancel: { zh: "取消", en: "Cancel" },
  settings: { zh: "设置", en: "Settings" },
  moreSettings: { zh: "模型与参数", en: "Models and parameters" },
  search: { zh: "联网搜索", en: "Web search" },
  searchBrief: { zh: "联网", en: "Web" },
  model: { zh: "模型", en: "Model" },
  notSet: { zh: "未设置", en: "not set" },
  language: { zh: "语言", en: "Language" },
  loadSteps: { zh: "查看执行过程", en: "Show what it did" },
  noSteps: { zh: "这次运行的过程已不再保存。", en: "The steps of this run are no longer stored." },
  lost: { zh: "连接已断开，正在重新连接…", en: "The connection was lost; reconnecting…" },
  notReached: { zh: "无法连接到服务器。", en: "The server cannot be reached." },
  notUnderstood: {
    zh: "服务器的响应无法识别。",
    en: "The server answered with something that this page does not understand.",
  },
  ownerUnknown: { zh: "服务器没有说明你是谁：", en: "The server does not say who you are: " },
  examples: { zh: "试试这些问题", en: "Questions to try" },
  noModel: { zh: "还没有配置模型", en: "No model is configured" },
  noModelHelp: {
    zh: "现在由离线规则回答：它只认识一些固定的请求，例如下面这几个。要得到完整的回答，请设置一个密钥，或运行 duet init，再重新启动。",
    en: "Fixed rules answer for now: they know some requests only, such as those below. For real answers, set a key or run duet init, then start Duet again.",
  },
  welcome: { zh: "今天想了解什么？", en: "What would you like to know?" },
  nowIn: { zh: "当前模式：", en: "Current mode: " },
  signIn: { zh: "登录", en: "Sign in" },
  signInWhy: {
    zh: "这个服务器需要令牌。它只保存在这个标签页里。",
    en: "This server requires a token. It is stored in this tab only.",
  },
  signOut: { zh: "退出登录", en: "Sign out" },
  signOutAsk: {
    zh: "退出后，本浏览器会清除你写下而没有发送的内容；你的其他标签页也一起退出。",
    en: "Signing out removes from this browser what you have written and not sent, and signs out your other tabs, too.",
  },
  token: { zh: "令牌", en: "Token" },
  wrongToken: { zh: "这个令牌没有被接受。", en: "This token was not accepted." },
  linkToken: {
    zh: "链接带来另一个令牌。改用后，给你链接的人能读到你此后问的内容。",
    en: "The link brings another token. If you use it, whoever sent you the link can read what you ask from then on.",
  },
  useToken: { zh: "改用", en: "Use it" },
  waitsNoMore: {
    zh: "这个问题已在别处回答，或已不再等待。",
    en: "This question was answered elsewhere, or no longer waits for an answer.",
  },
  required: { zh: "（必填）", en: " (required)" },
  missing: { zh: "请填写这一项。", en: "Please fill this in." },
  wanted: { zh: "需要：", en: "Expected: " },
  choose: { zh: "请选择", en: "Choose" },
  chatAdvice: {
    zh: "建议切换到 Chat 模式再试；模式不会自动切换。",
    en: "You can try Chat mode; the mode is not switched automatically.",
  },
} as const satisfies Record<string, Text>;

/** Explains why the search switch is disabled in chat mode. */
export const searchBarred: Record<SearchReason, Text> = {
  off: {
    zh: "联网搜索已在配置中关闭（--no-search 或 search.enabled）。",
    en: "Web search is turned off by the configuration (--no-search or search.enabled).",
  },
  no_service: {
    zh: "没有可用的搜索服务：请设置 TAVILY_API_KEY 等密钥或 SEARXNG_URL。",
    en: "No search service is available: set a key such as TAVILY_API_KEY, or SEARXNG_URL.",
  },
  not_permitted: {
    zh: "工具规则不允许你使用联网搜索。",
    en: "The tool rules do not allow you to search the web.",
  },
};

/** Names the task of each of the two models. */
export const roleNames: Record<ModelKey, Text> = {
  function_call: { zh: "工具调用模型", en: "Function-call model" },
  answer: { zh: "回答模型", en: "Answer model" },
};

/** Labels the parameters as they are written in settings. */
export const parameterLabels: Record<ParameterName, string> = {
  temperature: "temperature",
  top_p: "top_p",
  max_tokens: "max_tokens",
};

/** Describes a question that the server would refuse as too long. Both numbers are in characters. */
export function describeTooLong(length: number, limit: number): Text {
  const [now, allowed] = [length.toLocaleString("en"), limit.toLocaleString("en")];
  return {
    zh: `问题有 ${now} 个字符，最多 ${allowed} 个：请缩短后再发送。`,
    en: `The question has ${now} characters; at most ${allowed} are allowed: shorten it to send it.`,
  };
}

/** Describes a text that a run would refuse as too long, and that can be asked after it. Both numbers are in characters. */
export function describeTooLongForRun(length: number, limit: number): Text {
  const [now, allowed] = [length.toLocaleString("en"), limit.toLocaleString("en")];
  return {
    zh: `内容有 ${now} 个字符，运行中一次最多发送 ${allowed} 个：请缩短，或者点“排队”按钮（Alt+Enter）。`,
    en: `The text has ${now} characters; a run takes at most ${allowed}: shorten it, or press “Queue it” (Alt+Enter).`,
  };
}

/** Names the link that leads to the provider. */
export function describeSignIn(provider: string): Text {
  return { zh: `用 ${provider} 登录`, en: `Sign in with ${provider}` };
}

/** Describes a changed setting in the words of the terminal's `/set`. */
export function describeChangedSetting(key: string, before: Text, now: Text): Text {
  return { zh: `${key}：${before.zh} → ${now.zh}`, en: `${key}: ${before.en} → ${now.en}` };
}

/** Holds the texts about conversations and runs that are not shown or no longer exist. */
export const sideTexts = {
  running: { zh: "进行中", en: "running" },
  search: { zh: "搜索对话", en: "Search conversations" },
  found: { zh: "搜索结果", en: "Found" },
  notFound: { zh: "没有找到匹配的对话。", en: "No conversation contains this." },
  pinned: { zh: "置顶", en: "Pinned" },
  today: { zh: "今天", en: "Today" },
  yesterday: { zh: "昨天", en: "Yesterday" },
  week: { zh: "过去 7 天", en: "Last 7 days" },
  month: { zh: "过去 30 天", en: "Last 30 days" },
  older: { zh: "更早", en: "Older" },
  rename: { zh: "重命名", en: "Rename" },
  newTitle: { zh: "新标题", en: "New title" },
  pin: { zh: "置顶", en: "Pin" },
  unpin: { zh: "取消置顶", en: "Unpin" },
  saveMarkdown: { zh: "导出为 Markdown", en: "Export as Markdown" },
  saveJson: { zh: "导出为 JSON", en: "Export as JSON" },
  deleted: { zh: "已删除：", en: "Deleted: " },
  undo: { zh: "撤销", en: "Undo" },
  dismiss: { zh: "关闭提示", en: "Dismiss" },
  theme: { zh: "外观", en: "Theme" },
  auto: { zh: "跟随系统", en: "As the system" },
  light: { zh: "浅色", en: "Light" },
  dark: { zh: "深色", en: "Dark" },
  help: { zh: "键盘快捷键", en: "Keyboard shortcuts" },
  waits: { zh: "等待你", en: "needs you" },
  goneRun: {
    zh: "服务器已重新启动，这次运行已不存在；请重新提问。",
    en: "The server was restarted and this run no longer exists; ask again.",
  },
  goneConversation: {
    zh: "这个对话已不存在：它在别处被删除，或服务器已重新启动。",
    en: "This conversation no longer exists: it was deleted elsewhere, or the server was restarted.",
  },
} as const satisfies Record<string, Text>;
