"""The tools over the help centre: searching it, and reading a whole article."""

from time import perf_counter
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from nodes.look_up import PASSAGES
from nodes.passages import ARTICLE_TOOL, SEARCH_TOOL, article, artifact, encode
from nodes.tools.turn import Turn, tier
from store.articles import get_article
from store.search import search


class SearchArgs(BaseModel):
    """Arguments of ``search_kb``."""

    query: str = Field(
        min_length=1,
        max_length=500,
        description="One question or a few terms, as the help centre would word it. 用帮助中心的说法写的一个问题或几个词",
    )


class ArticleArgs(BaseModel):
    """Arguments of ``get_article``."""

    doc_id: str = Field(
        description="Id of an article: the part of a passage id before '#'. 段落 id 中 # 之前的部分"
    )
    page: int = Field(default=1, ge=1, description="Page of a long article, from 1. 页码")


def search_kb(turn: Turn) -> BaseTool:
    """Return the tool that searches the help centre."""

    async def run(query: str) -> tuple[str, dict[str, Any]]:
        began = perf_counter()
        opened = turn.opened
        passages = await search(opened.knowledge, query, collection=await turn.collection(), k=PASSAGES)
        took = round((perf_counter() - began) * 1000)
        return encode(passages, query), artifact(passages, ms=took)

    return StructuredTool(
        name=SEARCH_TOOL,
        description=(
            "Search the help centre; returns passages with ids. Use the help centre's own words, not the user's "
            "(official terms, feature names, error codes); one search for each question; search again in other "
            "words if nothing fits. 检索帮助中心,返回带 id 的段落。请用帮助中心的正式说法而不是用户的口语来检索;"
            "每个问题检索一次,没有合适的结果就换一种说法再检索。"
        ),
        args_schema=SearchArgs,
        coroutine=run,
        response_format="content_and_artifact",
        metadata=tier("read"),
    )


def read_article(turn: Turn) -> BaseTool:
    """Return the tool that reads a whole article."""

    async def run(doc_id: str, page: int = 1) -> tuple[str, dict[str, Any]]:
        found = await get_article(turn.opened.knowledge, doc_id, collection=await turn.collection())
        shown, content = article(found, page)
        return content, artifact(shown, ms=0)

    return StructuredTool(
        name=ARTICLE_TOOL,
        description="Read a whole article when a passage of it is not enough. 一个段落不够时,读整篇文章。",
        args_schema=ArticleArgs,
        coroutine=run,
        response_format="content_and_artifact",
        metadata=tier("read"),
    )
