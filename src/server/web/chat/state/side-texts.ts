import type { Text } from "../../../../kit/locale.ts";

/** Holds the texts about conversations and runs that are not shown or no longer exist. */
export const sideTexts = {
  running: { zh: "进行中", en: "running" },
  waits: { zh: "等待您", en: "needs you" },
  goneRun: {
    zh: "服务器已重新启动，这次运行已不存在；请重新提问。",
    en: "The server was restarted and this run no longer exists; ask again.",
  },
  goneConversation: {
    zh: "这个对话已不存在：它在别处被删除，或服务器已重新启动。",
    en: "This conversation no longer exists: it was deleted elsewhere, or the server was restarted.",
  },
} as const satisfies Record<string, Text>;
