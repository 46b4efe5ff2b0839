// Opens the page in headless Chromium, waits until the turn has ended, and takes a picture.
// node shot.mjs PAGE_URL PICTURE.png SELECTOR_TO_WAIT_FOR
import { chromium } from "playwright-core";

const [page, picture, expected] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
});
const tab = await browser.newPage({ viewport: { width: 820, height: 900 } });
await tab.goto(page);
await tab.waitForFunction((it) => document.querySelector(it) ?? document.querySelector("#error"), expected);
await tab.waitForFunction(() => document.querySelector("#state")?.textContent.startsWith("done"));
await tab.screenshot({ path: picture });
console.log(await tab.textContent("main"));
await browser.close();
