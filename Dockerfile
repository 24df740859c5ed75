# guiagent with a browser and private displays, for a person without rights:
#   docker build -t guiagent .
#   docker run --rm -v "$PWD:/work" guiagent run 'click "Next"' --url form.html
# docs/ci.md says more. The container is the sandbox: inside it, a browser without rights cannot make one of its own.
FROM debian:bookworm-slim
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        at-spi2-core ca-certificates chromium dbus fonts-dejavu-core fonts-liberation libatomic1 openbox \
        python3-venv xauth xvfb \
    && rm -rf /var/lib/apt/lists/* \
    && echo 'export CHROMIUM_FLAGS="$CHROMIUM_FLAGS --no-sandbox"' > /etc/chromium.d/container \
    && useradd --create-home --shell /bin/bash person
COPY . /src
RUN python3 -m venv /opt/guiagent \
    && /opt/guiagent/bin/pip install --no-cache-dir -c /src/constraints.txt \
        '/src[desktop,models,serve,tables]' /src/platforms \
    && ln -s /opt/guiagent/bin/guiagent /usr/local/bin/guiagent \
    && rm -rf /src
USER person
WORKDIR /work
ENTRYPOINT ["guiagent"]
CMD ["--help"]
