"""The restaurant: availability, bookings, references."""

import pytest

from sparring.demo.restaurant import LARGEST_PARTY, TABLES_PER_HOUR, Booking, Restaurant


@pytest.mark.parametrize("time", ["17:00", "18:00", "18:30", "21:45", "22:00"])
def test_tables_are_free_from_five_to_ten(time):
    assert Restaurant().check_availability("tonight", time, 2) == {"available": True}


@pytest.mark.parametrize(
    ("time", "alternatives"),
    [
        ("19:00", ["18:00", "21:00"]),
        ("20:30", ["18:00", "21:00"]),
        ("12:00", ["17:00"]),
        ("22:30", ["21:00"]),
        ("23:00", ["22:00"]),
        ("soon", []),
    ],
)
def test_a_full_or_closed_time_offers_the_nearest_free_ones(time, alternatives):
    answer = Restaurant().check_availability("tonight", time, 2)
    assert answer == {"available": False, "alternatives": alternatives}


def test_seven_is_only_full_tonight():
    assert Restaurant().check_availability("tomorrow", "19:00", 2) == {"available": True}


@pytest.mark.parametrize("party_size", [0, LARGEST_PARTY + 1])
def test_a_party_that_fits_no_table_is_told_why(party_size):
    answer = Restaurant().check_availability("tonight", "18:00", party_size)
    assert not answer["available"]
    assert "at most 8" in answer["reason"]


def test_a_booking_gets_the_next_reference_and_takes_its_table():
    restaurant = Restaurant()
    for number in range(1, TABLES_PER_HOUR + 1):
        answer = restaurant.book_table("Friday", "18:00", 2, "Jamie Lee", "555-0142")
        assert answer == {"ref": f"R-{number}"}

    assert restaurant.bookings["R-1"] == Booking("Friday", "18:00", 2, "Jamie Lee", "555-0142")
    full = {"available": False, "alternatives": ["17:00", "19:00"]}
    assert restaurant.check_availability("Friday", "18:30", 2) == full
    assert restaurant.book_table("Friday", "18:00", 2, "Maya", "555-0199") == full


def test_a_cancelled_booking_frees_its_table_but_not_its_reference():
    restaurant = Restaurant()
    restaurant.book_table("Friday", "18:00", 2, "Jamie Lee", "555-0142")

    assert restaurant.cancel_booking("R-1") == {"cancelled": True}
    assert restaurant.cancel_booking("R-1") == {"cancelled": False}
    assert restaurant.book_table("Friday", "18:00", 2, "Maya", "555-0199") == {"ref": "R-2"}
