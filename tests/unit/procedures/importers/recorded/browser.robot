*** Settings ***
Library     Browser
Test Setup  Open The Shop

*** Variables ***
${SHOP}     https://shop.example/orders

*** Test Cases ***
Order A Lamp
    [Documentation]    One order.
    Name The Customer    Ada    note=quick
    Select Options By    role=combobox[name="Country"]    label    Norway
    Check Checkbox       text=Express
    Fill Secret          input[name=pin]    $PIN
    Click                "Save"
    Get Text             id=done    ==    Saved Ada
    FOR    ${n}    IN    1    2
        Click    text=More
    END
    Get Url              contains    orders
    Execute Thing        x

Another
    Click    text=Other

*** Keywords ***
Open The Shop
    New Browser    chromium    headless=False
    New Page       ${SHOP}

Name The Customer
    [Arguments]    ${name}    ${note}=none
    Fill Text      css=#who >> nth=0    ${name}
    Fill Text      [placeholder=Note]    ${note}
