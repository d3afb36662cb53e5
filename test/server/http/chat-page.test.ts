import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { startHttpDuet } from "../../fakes/http-duet.ts";

test("the page is served to anybody, with a policy that lets its own script and style run and nothing else", async () => {
  const { origin } = await startHttpDuet({ environment: { DUET_HTTP_TOKEN: "a-secret-of-enough-length-0123456789" } });
  const response = await fetch(`${origin}/`);
  const html = await response.text();
  const policy = response.headers.get("content-security-policy") ?? "";
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  for (const name of ["script", "style"]) {
    const [, text = ""] = new RegExp(`<${name}>([\\s\\S]*?)</${name}>`).exec(html) ?? [];
    expect(policy).toContain(`${name}-src 'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  }
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).toMatch(/script-src '[^']+' 'self';/);
  const shell = html.replace(/<(script|style)>[\s\S]*?<\/\1>/g, "").replace(/"data:[^"]*"/g, '"data:"');
  expect(shell.length).toBeLessThan(1000);
  expect(shell).not.toMatch(/\bsrc=|href="(?!data:|\/manifest\.webmanifest")|http/);
});

test.each([
  ["gzip, deflate, br;q=1", "br", 120_000],
  ["br;q=0, gzip", "gzip", 132_000],
  ["*", "gzip", 132_000],
])("it comes packed to whoever takes that (%s), and whole to others", async (accepted, packing, most) => {
  const { origin } = await startHttpDuet();
  const packed = await fetch(`${origin}/`, { headers: { "accept-encoding": accepted } });
  const plain = await fetch(`${origin}/`, { headers: { "accept-encoding": "gzip;q=0, identity" } });
  expect(packed.headers.get("content-encoding")).toBe(packing);
  expect(Number(packed.headers.get("content-length"))).toBeLessThan(most);
  expect(plain.headers.get("content-encoding")).toBeNull();
  expect(packed.headers.get("vary")).toContain("Accept-Encoding");
  expect(await packed.text()).toBe(await plain.text());
});

test("what the page loads when it needs it, and what installs it, is served to anybody, and as nothing else", async () => {
  const { origin } = await startHttpDuet({ environment: { DUET_HTTP_TOKEN: "a-secret-of-enough-length-0123456789" } });
  for (const [path, type, words] of [
    ["/page/code.js", "text/javascript; charset=utf-8", "export"],
    ["/page/math.js", "text/javascript; charset=utf-8", "export"],
    ["/page/operator.js", "text/javascript; charset=utf-8", "export"],
    ["/page/plot.js", "text/javascript; charset=utf-8", "export"],
    ["/page/review.js", "text/javascript; charset=utf-8", "export"],
    ["/manifest.webmanifest", "application/manifest+json", '"start_url":"/"'],
  ] as const) {
    const response = await fetch(origin + path);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await response.text()).toContain(words);
  }
  expect((await fetch(`${origin}/page/other.js`)).ok).toBe(false);
});
