import scrapy
from scrapy.linkextractors import LinkExtractor


class EveryPage(scrapy.Spider):
    """Follows every link on the hosts of the seeds."""

    name = "every-page"
    links = LinkExtractor()

    def __init__(self, seeds=""):
        super().__init__()
        self.start_urls = seeds.split(",")
        self.allowed_domains = [url.split("/")[2].split(":")[0] for url in self.start_urls]

    def parse(self, response):
        if not hasattr(response, "css"):
            return
        for link in self.links.extract_links(response):
            yield scrapy.Request(link.url)
