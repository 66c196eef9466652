"""The tools the agent's LLM may call: plain functions, described by signature and docstring.

Their restaurant is the session's own, handed over as the worker's ``app_resources``.
"""

from pipecat.frames.frames import OutputImageRawFrame, UserImageRequestFrame
from pipecat.processors.frame_processor import FrameDirection
from pipecat.services.llm_service import FunctionCallParams


async def check_availability(
    params: FunctionCallParams, date: str, time: str, party_size: int
) -> None:
    """Check whether a table is free.

    Args:
        params: What Pipecat knows about the call.
        date: The day as the caller named it: "tonight", "tomorrow", "August 8".
        time: 24-hour time, "18:00".
        party_size: How many people will come.
    """
    restaurant = params.app_resources
    await params.result_callback(restaurant.check_availability(date, time, party_size))


async def book_table(
    params: FunctionCallParams, date: str, time: str, party_size: int, name: str, phone: str
) -> None:
    """Book a table that is free.

    Args:
        params: What Pipecat knows about the call.
        date: The day as the caller named it: "tonight", "tomorrow", "August 8".
        time: 24-hour time, "18:00".
        party_size: How many people will come.
        name: The name the table is booked under.
        phone: The number to reach the caller on.
    """
    restaurant = params.app_resources
    await params.result_callback(restaurant.book_table(date, time, party_size, name, phone))


async def cancel_booking(params: FunctionCallParams, ref: str) -> None:
    """Cancel a booking.

    Args:
        params: What Pipecat knows about the call.
        ref: The reference of the booking, "R-1".
    """
    restaurant = params.app_resources
    await params.result_callback(restaurant.cancel_booking(ref))


async def look_at_picture(params: FunctionCallParams) -> None:
    """Look at what the caller's camera sees.

    Args:
        params: What Pipecat knows about the call.
    """

    async def answered(trouble: dict[str, str] | None) -> None:
        await params.result_callback(trouble or {"seen": True})

    request = UserImageRequestFrame(
        user_id="caller",
        append_to_context=False,
        function_name=params.function_name,
        tool_call_id=params.tool_call_id,
        result_callback=answered,
    )
    await params.llm.push_frame(request, FrameDirection.UPSTREAM)


async def show_menu(params: FunctionCallParams) -> None:
    """Show the caller the menu.

    Args:
        params: What Pipecat knows about the call.
    """
    white = bytes([255] * 8 * 6 * 3)
    await params.llm.push_frame(OutputImageRawFrame(image=white, size=(8, 6), format="RGB"))
    await params.result_callback({"shown": True})
