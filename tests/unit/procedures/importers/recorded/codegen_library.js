const { chromium } = require('playwright');

(async () => {
  const browser = await chromium.launch({
    headless: false
  });
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto('https://shop.example/orders');
  await page.getByRole('textbox', { name: 'Customer' }).click();
  await page.getByRole('textbox', { name: 'Customer' }).fill('Ada Lovelace');
  await page.getByRole('textbox', { name: 'Customer' }).press('Tab');
  await page.getByRole('textbox', { name: 'Notes' }).fill('two lines\nmore');
  await page.getByRole('spinbutton', { name: 'Quantity' }).click();
  await page.getByRole('spinbutton', { name: 'Quantity' }).fill('3');
  await page.getByTestId('voucher').click();
  await page.getByTestId('voucher').fill('SAVE\'10"');
  await page.getByLabel('Country -NorwaySweden').selectOption('no');
  await page.getByLabel('Sizes SmallMediumLarge').selectOption('m');
  await page.getByLabel('Sizes SmallMediumLarge').selectOption(['m', 'l']);
  await page.getByRole('checkbox', { name: 'Express' }).check();
  await page.getByRole('radio', { name: 'Cash' }).check();
  await page.getByRole('textbox', { name: 'Password' }).click();
  await page.getByRole('textbox', { name: 'Password' }).fill('hunter2');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Chair Delete' }).getByRole('button').click();
  await page.getByRole('row', { name: 'A-2 Edit' }).getByRole('link').click();
  await page.getByRole('img', { name: 'Logo' }).click();
  await page.getByText('?').click();
  await page.getByRole('button', { name: 'Once' }).dblclick();
  page.once('dialog', dialog => {
    console.log(`Dialog message: ${dialog.message()}`);
    dialog.dismiss().catch(() => {});
  });
  await page.getByRole('button', { name: 'Ask' }).click();
  await page.locator('iframe[title="Inner"]').contentFrame().getByRole('textbox', { name: 'City' }).click();
  await page.locator('iframe[title="Inner"]').contentFrame().getByRole('textbox', { name: 'City' }).fill('Oslo');
  await page.locator('iframe[title="Inner"]').contentFrame().getByRole('button', { name: 'Go' }).click();
  await page.locator('iframe[name="two"]').contentFrame().getByRole('textbox', { name: 'City' }).click();
  await page.locator('iframe[name="two"]').contentFrame().getByRole('textbox', { name: 'City' }).fill('Rome');
  await page.getByRole('button', { name: 'Receipt' }).setInputFiles('second.html');
  const page1Promise = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Open terms' }).click();
  const page1 = await page1Promise;
  await page1.getByRole('button', { name: 'Agree' }).click();
  await page1.close();
  await page.close();

  // ---------------------
  await context.close();
  await browser.close();
})();