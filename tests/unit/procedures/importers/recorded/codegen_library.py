from playwright.sync_api import Playwright, sync_playwright


def run(playwright: Playwright) -> None:
    browser = playwright.chromium.launch(headless=False)
    context = browser.new_context()
    page = context.new_page()
    page.goto("https://shop.example/orders")
    page.get_by_role("textbox", name="Customer").click()
    page.get_by_role("textbox", name="Customer").fill("Ada Lovelace")
    page.get_by_role("textbox", name="Customer").press("Tab")
    page.get_by_role("textbox", name="Notes").fill("two lines\nmore")
    page.get_by_role("spinbutton", name="Quantity").click()
    page.get_by_role("spinbutton", name="Quantity").fill("3")
    page.get_by_test_id("voucher").click()
    page.get_by_test_id("voucher").fill("SAVE'10\"")
    page.get_by_label("Country -NorwaySweden").select_option("no")
    page.get_by_label("Sizes SmallMediumLarge").select_option("m")
    page.get_by_label("Sizes SmallMediumLarge").select_option(["m", "l"])
    page.get_by_role("checkbox", name="Express").check()
    page.get_by_role("radio", name="Cash").check()
    page.get_by_role("textbox", name="Password").click()
    page.get_by_role("textbox", name="Password").fill("hunter2")
    page.get_by_role("button", name="Save").click()
    page.get_by_role("listitem").filter(has_text="Chair Delete").get_by_role("button").click()
    page.get_by_role("row", name="A-2 Edit").get_by_role("link").click()
    page.get_by_role("img", name="Logo").click()
    page.get_by_text("?").click()
    page.get_by_role("button", name="Once").dblclick()
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.get_by_role("button", name="Ask").click()
    page.locator('iframe[title="Inner"]').content_frame.get_by_role("textbox", name="City").click()
    page.locator('iframe[title="Inner"]').content_frame.get_by_role("textbox", name="City").fill("Oslo")
    page.locator('iframe[title="Inner"]').content_frame.get_by_role("button", name="Go").click()
    page.locator('iframe[name="two"]').content_frame.get_by_role("textbox", name="City").click()
    page.locator('iframe[name="two"]').content_frame.get_by_role("textbox", name="City").fill("Rome")
    page.get_by_role("button", name="Receipt").set_input_files("second.html")
    with page.expect_popup() as page1_info:
        page.get_by_role("link", name="Open terms").click()
    page1 = page1_info.value
    page1.get_by_role("button", name="Agree").click()
    page1.close()
    page.close()

    # ---------------------
    context.close()
    browser.close()


with sync_playwright() as playwright:
    run(playwright)
