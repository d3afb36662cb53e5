import { mostTypedTexts, type TypedHistory } from "../../core/store/typed-history.ts";

export function createMemoryTypedHistory(): TypedHistory {
  let all: string[] = [];
  return {
    list: async () => [...all],
    async add(texts) {
      all = [...all, ...(typeof texts === "function" ? texts() : texts)].slice(-mostTypedTexts);
    },
  };
}
