import asyncio
import logging

log = logging.getLogger(__name__)


async def worker(name, queue, handle):
    while True:
        job = await queue.get()
        try:
            await handle(job)
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("%s: job %s failed", name, job)
            if job.retries < 3:
                job.retries += 1
                await queue.put(job)
        finally:
            queue.task_done()


async def run(jobs, handle, count=4):
    queue = asyncio.Queue(maxsize=100)
    workers = [
        asyncio.create_task(worker(f"worker-{index}", queue, handle))
        for index in range(count)
    ]
    for job in jobs:
        await queue.put(job)
    await queue.join()
    for task in workers:
        task.cancel()
    await asyncio.gather(*workers, return_exceptions=True)


def settings(text):
    values = {}
    for number, line in enumerate(text.splitlines()):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if "=" not in line:
            raise ValueError(f"line {number + 1} has no '='")
        key, value = line.split("=", 1)
        values[key.strip()] = value.strip()
    return values
