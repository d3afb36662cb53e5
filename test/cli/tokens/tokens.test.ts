import { expect, test } from "vitest";
import { openOpenIdIssuer } from "../../fakes/openid-issuer.ts";
import { configFile, temporaryFolder } from "../../fakes/program.ts";
import { runWarmProgram as runWarm } from "../../fakes/warm-program.ts";

test("duet tokens makes a token that stdout alone has, lists it without it, and revokes it", async () => {
  const env = { DUET_HOME: await temporaryFolder(), LANG: "en_US.UTF-8" };
  const run = async (...args: string[]) => runWarm(["tokens", ...args], { env });
  const made = await run("create", "ci", "--only-tools", "docs__*,calculator", "--expires", "30");
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^duet_[\w-]{43}\n$/) });
  expect(made.stderr).toMatch(/^duet: Token ci: scope ask, expires \d{4}-\d\d-\d\d \d\d:\d\d\. Save it now/);
  const list = await run();
  expect(list.stdout).toMatch(/^ci {2}duet_[\w-]{4}… {2}ask {2}docs__\*,calculator {2}expires .* {2}never used\n$/);
  expect(list.stdout + list.stderr).not.toContain(made.stdout.trim());
  expect(await run("create", "ci")).toMatchObject({ code: 2, stderr: expect.stringContaining('"ci" is in force') });
  expect((await run("revoke", "ci")).stdout).toBe("The token ci was revoked\n");
  const [dead] = JSON.parse((await run("list", "--output", "json")).stdout).tokens;
  expect(dead).toMatchObject({ name: "ci", state: "revoked", owner: "token:ci", tools: ["docs__*", "calculator"] });
  for (const [args, allowed] of [
    [["revoke", "ci"], 'no token named "ci" is in force'],
    [["create", "x", "--only-tools", ""], '--only-tools: "" is not allowed (allowed: names or patterns of tools'],
    [
      ["create", "a b"],
      'the name of the token: "a b" is not allowed (allowed: 1 to 100 letters, digits or _ . @ : + -, and not DUET_HTTP_TOKEN)',
    ],
    [["create", "x", "--expires", "0"], '--expires: "0" is not allowed (allowed: 1 to 3650 days, or never)'],
    [["create", "x", "--only-tools", "a*b("], "--only-tools: "],
    [["create", "x", "--scope", "operate", "--owner", "y"], '--owner: "y" is not allowed (allowed: none with operate)'],
  ] as const)
    expect(await run(...args)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(allowed) });
});

test("duet doctor says which redirect URI the provider has to know, or why nobody can sign in", async () => {
  const issuer = await openOpenIdIssuer();
  const config = await configFile({
    locale: "en",
    serve: {
      http: { publicUrl: "https://duet.example.com/", auth: { issuer: issuer.url, signIn: { clientId: "d" } } },
    },
  });
  const diagnose = async () => {
    const { stdout } = await runWarm(["doctor", "--config", config], { env: { DUET_HOME: await temporaryFolder() } });
    return stdout.split("\n").find((line) => line.includes("sign-in"));
  };
  expect(await diagnose()).toBe(
    `✓ sign-in ${issuer.url}: client d, no secret (DUET_SIGN_IN_SECRET) · redirect URI to register: https://duet.example.com/signin/callback`,
  );
  await issuer.close();
  expect(await diagnose()).toMatch(/^✗ sign-in http:\/\/127\.0\.0\.1:\d+: .*Check serve\.http\.auth\.issuer\.$/);
});
