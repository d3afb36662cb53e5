import { expect, test } from "vitest";
import { client, openRealProvider } from "../fakes/real-openid-provider.ts";
import { inChromium } from "./chromium.ts";
import { startPageDuet } from "./page-duet.ts";
import { answered, ask } from "./screen.ts";
import { openPage } from "./watched-page.ts";

inChromium("a sign-in in a browser", () => {
  test("leads through a real provider back to the conversation, is shown on the page, and ends there and at the provider", async () => {
    const provider = await openRealProvider();
    const duet = await startPageDuet({
      settings: {
        locale: undefined,
        serve: { http: { auth: { issuer: provider.url, signIn: { clientId: client.id } } } },
      },
      environment: { DUET_SIGN_IN_SECRET: client.secret },
    });
    provider.register(duet.origin);
    duet.provider.script("cheap", { text: "Enough." });
    duet.provider.script("strong", { text: "It is said." });
    const { page, faults } = await openPage(duet.origin, {
      locale: "en-US",
      // The provider's own pages have no icon, and want fonts from elsewhere.
      meant: new RegExp(`40[14]|request to (${provider.url}|https://fonts.googleapis.com)`),
    });
    await page.route("https://fonts.googleapis.com/**", (route) =>
      route.fulfill({ contentType: "text/css", body: "" }),
    );
    const host = new URL(provider.url).host;
    await page.getByRole("link", { name: `Sign in with ${host}` }).click();
    await page.getByPlaceholder("Enter any login").fill("ann");
    await page.getByPlaceholder("and password").fill("any");
    await page.getByRole("button", { name: "Sign-in" }).click();
    await page.getByRole("button", { name: "Continue" }).click();
    await page.waitForURL(`${duet.origin}/**`);
    await page.getByRole("link", { name: "Person ann · Sign out" }).waitFor();
    await ask(page, "Say it.");
    await answered(page);
    expect(await page.evaluate("document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })")).not.toMatch(
      /session|eyJ/,
    );

    await page.getByRole("link", { name: "Person ann · Sign out" }).click();
    await page.getByText(`Signed in as Person ann (${host})`).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Yes, sign me out" }).click();
    await page.waitForURL(`${duet.origin}/signin**`);
    await page.getByText("You are not signed in.").waitFor();
    await page.goto(duet.origin);
    await page.getByRole("link", { name: `Sign in with ${host}` }).waitFor();
    expect(faults).toEqual([]);
  });
});
