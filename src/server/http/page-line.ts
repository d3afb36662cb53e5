import type { Config } from "../../config/load-config.ts";
import type { Text } from "../../kit/locale.ts";

/** Where a browser finds the page, and how it signs in; `url` is the address of `/mcp`. */
export function describePageAddress(
  { serve: { http }, httpToken }: Pick<Config, "serve" | "httpToken">,
  url: string,
): Text {
  const page = http.publicUrl === undefined ? new URL("/", url).href : `${http.publicUrl.replace(/\/+$/, "")}/`;
  if (httpToken !== undefined)
    return {
      zh: `网页：${page}#token=…（… 处填入 DUET_HTTP_TOKEN 的值）`,
      en: `the page: ${page}#token=… (put the value of DUET_HTTP_TOKEN for …)`,
    };
  if (http.auth !== undefined)
    return {
      zh: `网页：${page}#token=…（… 处填入 serve.http.auth 所用的访问令牌）`,
      en: `the page: ${page}#token=… (put an access token of serve.http.auth for …)`,
    };
  return { zh: `网页：${page}`, en: `the page: ${page}` };
}
