import asyncio

from playwright.async_api import Playwright, async_playwright


async def run(playwright: Playwright) -> None:
    browser = await playwright.chromium.launch(headless=False)
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto("https://shop.example/orders")
    await page.get_by_role("textbox", name="Customer").click()
    await page.get_by_role("textbox", name="Customer").fill("Ada Lovelace")
    await page.get_by_role("textbox", name="Customer").press("Tab")
    await page.get_by_role("textbox", name="Notes").fill("two lines\nmore")
    await page.get_by_role("spinbutton", name="Quantity").click()
    await page.get_by_role("spinbutton", name="Quantity").fill("3")
    await page.get_by_test_id("voucher").click()
    await page.get_by_test_id("voucher").fill("SAVE'10\"")
    await page.get_by_label("Country -NorwaySweden").select_option("no")
    await page.get_by_label("Sizes SmallMediumLarge").select_option("m")
    await page.get_by_label("Sizes SmallMediumLarge").select_option(["m", "l"])
    await page.get_by_role("checkbox", name="Express").check()
    await page.get_by_role("radio", name="Cash").check()
    await page.get_by_role("textbox", name="Password").click()
    await page.get_by_role("textbox", name="Password").fill("hunter2")
    await page.get_by_role("button", name="Save").click()
    await page.get_by_role("listitem").filter(has_text="Chair Delete").get_by_role("button").click()
    await page.get_by_role("row", name="A-2 Edit").get_by_role("link").click()
    await page.get_by_role("img", name="Logo").click()
    await page.get_by_text("?").click()
    await page.get_by_role("button", name="Once").dblclick()
    page.once("dialog", lambda dialog: dialog.dismiss())
    await page.get_by_role("button", name="Ask").click()
    await page.locator('iframe[title="Inner"]').content_frame.get_by_role("textbox", name="City").click()
    await page.locator('iframe[title="Inner"]').content_frame.get_by_role("textbox", name="City").fill("Oslo")
    await page.locator('iframe[title="Inner"]').content_frame.get_by_role("button", name="Go").click()
    await page.locator('iframe[name="two"]').content_frame.get_by_role("textbox", name="City").click()
    await page.locator('iframe[name="two"]').content_frame.get_by_role("textbox", name="City").fill("Rome")
    await page.get_by_role("button", name="Receipt").set_input_files("second.html")
    async with page.expect_popup() as page1_info:
        await page.get_by_role("link", name="Open terms").click()
    page1 = await page1_info.value
    await page1.get_by_role("button", name="Agree").click()
    await page1.close()
    await page.close()

    # ---------------------
    await context.close()
    await browser.close()


async def main() -> None:
    async with async_playwright() as playwright:
        await run(playwright)


asyncio.run(main())
