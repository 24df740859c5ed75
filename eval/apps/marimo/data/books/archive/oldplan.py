import marimo

__generated_with = "0.25.2"
app = marimo.App()


@app.cell
def _():
    import marimo as mo
    return (mo,)


@app.cell
def _(mo):
    mo.md("# An old plan")
    return


@app.cell
def _():
    days = 30
    days
    return (days,)


if __name__ == "__main__":
    app.run()
