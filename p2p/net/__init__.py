"""The edge of the program: the only place with asyncio, sockets and mDNS. Everything inward is sans-I/O.

``connection`` carries one secure line over TCP, ``targets`` decides when to dial whom, ``listen`` finds a port, and
``runner`` joins them with a peer. ``query`` asks a table over TCP what it is, ``discovery`` announces and finds tables
by mDNS, ``interfaces`` keeps that on the addresses of this machine, ``records`` says what is told of a table.
"""
