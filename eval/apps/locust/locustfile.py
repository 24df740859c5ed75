"""One kind of visitor, for a load test started by hand."""

from locust import HttpUser, constant, task


class Visitor(HttpUser):
    """Looks at the front page once a second."""

    wait_time = constant(1)

    @task
    def front(self) -> None:
        self.client.get("/")
