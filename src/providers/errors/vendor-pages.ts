import type { Text } from "../../kit/locale.ts";

/** Where a vendor's customers get keys and pay, and what its users must know about a refused key. */
export interface VendorPages {
  keys: string;
  billing: string;
  keyNote?: Text;
}

/** The pages of whoever answers at this address: a proxy in front of a vendor has none. */
export function findVendorPages(baseUrl: string): VendorPages | undefined {
  const host = URL.parse(baseUrl)?.hostname ?? "";
  return Object.hasOwn(pages, host) ? pages[host] : undefined;
}

const regions: Text = {
  zh: "密钥只在其所属地域有效：dashscope.aliyuncs.com 为北京，dashscope-intl.aliyuncs.com 为新加坡。",
  en: "A key works in its own region only: dashscope.aliyuncs.com is Beijing, dashscope-intl.aliyuncs.com Singapore.",
};
const beijing: VendorPages = {
  keys: "https://bailian.console.aliyun.com/?tab=model#/api-key",
  billing: "https://usercenter2.aliyun.com/home",
  keyNote: regions,
};
const singapore: VendorPages = {
  keys: "https://modelstudio.console.alibabacloud.com/?tab=model#/api-key",
  billing: "https://usercenter2-intl.console.alibabacloud.com/home",
  keyNote: regions,
};

const pages: Readonly<Record<string, VendorPages>> = {
  "api.deepseek.com": {
    keys: "https://platform.deepseek.com/api_keys",
    billing: "https://platform.deepseek.com/top_up",
  },
  "api.openai.com": {
    keys: "https://platform.openai.com/api-keys",
    billing: "https://platform.openai.com/settings/organization/billing",
  },
  "api.anthropic.com": {
    keys: "https://platform.claude.com/settings/keys",
    billing: "https://platform.claude.com/settings/billing",
  },
  "dashscope.aliyuncs.com": beijing,
  "dashscope-intl.aliyuncs.com": singapore,
  "dashscope-us.aliyuncs.com": singapore,
  "generativelanguage.googleapis.com": {
    keys: "https://aistudio.google.com/api-keys",
    billing: "https://ai.dev/rate-limit",
  },
  "openrouter.ai": { keys: "https://openrouter.ai/settings/keys", billing: "https://openrouter.ai/settings/credits" },
  "api.groq.com": { keys: "https://console.groq.com/keys", billing: "https://console.groq.com/settings/billing" },
  "api.x.ai": { keys: "https://console.x.ai", billing: "https://console.x.ai" },
  "api.mistral.ai": {
    keys: "https://console.mistral.ai/api-keys",
    billing: "https://admin.mistral.ai/organization/billing",
  },
  "api.moonshot.cn": {
    keys: "https://platform.moonshot.cn/console/api-keys",
    billing: "https://platform.moonshot.cn/console/pay",
  },
};
