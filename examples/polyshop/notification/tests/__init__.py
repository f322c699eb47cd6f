"""Tests of the notification service: /usr/bin/python3 -m unittest"""
