import marimo

__generated_with = "0.25.2"
app = marimo.App()


@app.cell
def _():
    import marimo as mo
    return (mo,)


@app.cell
def _(mo):
    mo.md("# Household budget")
    return


@app.cell
def _():
    rent = 940
    food = 380
    return food, rent


@app.cell
def _(food, rent):
    total = rent + food
    total
    return (total,)


if __name__ == "__main__":
    app.run()
