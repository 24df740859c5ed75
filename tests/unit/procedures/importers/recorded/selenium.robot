*** Settings ***
Library    SeleniumLibrary

*** Test Cases ***
Order A Lamp
    Open Browser    url=https://shop.example/orders    browser=chrome
    Maximize Browser Window
    Input Text    name:who    Ada
    Input Password    id=pin    hunter2
    Select From List By Label    country    Norway
    Select Checkbox    express
    Press Keys    name:who    ENTER
    Click Link    Terms of use
    Click Button    Save
    Handle Alert    DISMISS
    Page Should Contain    Saved Ada
    Element Should Be Visible    id:done
    Sleep    2
    Close Browser
